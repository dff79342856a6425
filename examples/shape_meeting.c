// SPDX-License-Identifier: Apache-2.0
// Two shapes fly: when do they touch first, and where?
#include <carom/shape.h>
#include <stdio.h>

int main(void) {
    CaromShape *brick = NULL, *coin = NULL;
    if (carom_shape_box((CaromVec3){0.24, 0.115, 0.071}, NULL, &brick) != CAROM_OK ||
        carom_shape_cylinder(0.05, 0.01, NULL, &coin) != CAROM_OK) {
        return 1;
    }

    // The brick tumbles in free flight, the coin lies still.
    CaromSolid solid = carom_shape_solid(brick);
    CaromPrincipal inertia = carom_principal(&solid.inertia);
    CaromMoment start = {.pose = {{0, 0, 1}, {1, 0, 0, 0}}, .angular_velocity = {3, 8, 1}};
    CaromMoment still = {.pose = {{0, 0, 0}, {1, 0, 0, 0}}};
    CaromTrajectory flight = carom_trajectory_free(&start, &inertia, (CaromVec3){0, 0, -9.81});
    CaromTrajectory rest = carom_trajectory_steady(&still, (CaromVec3){0, 0, 0});

    double time = carom_shape_meet(brick, &flight, coin, &rest, 0, 0, 10);
    CaromPose there = carom_trajectory_at(&flight, time).pose;
    CaromManifold touch = carom_shape_manifold(brick, &there, coin, &still.pose, 1e-6);
    printf("they touch after %.9f s at %d point(s), first at %.4f, %.4f, %.4f\n", time, touch.count,
           touch.points[0].point.x, touch.points[0].point.y, touch.points[0].point.z);

    carom_shape_destroy(brick);
    carom_shape_destroy(coin);
    return touch.count < 1;
}
