// SPDX-License-Identifier: Apache-2.0
// What the plots of rods put on their panels: waves, heights, shares that add up.
#include "plot/plot_fixture.h"

#define ROD "'kind':'rod','title':'T','length':1,'wave_speed':1,'gravity':1,'damping':0.1"

/// The i-th line of a panel, or NULL.
static const CaromItem *line_of(const CaromPanel *panel, int i) {
    for (const CaromItem *item = panel->items; item; item = item->next) {
        if (item->kind == CAROM_ITEM_LINE && i-- == 0) {
            return item;
        }
    }
    return NULL;
}

// Nine points of the rod from foot to top, the foot on the ground; the front is back at its foot.
TEST(contact_shows_the_rod) {
    Fixture f;
    CaromFigure *figure = make(&f, "{" ROD ",'impact_speed':4}", carom_make_contact);
    const CaromPanel *field = figure->first[0];
    for (int k = 0; k < 9; k++) {
        const CaromItem *line = line_of(field, k);
        CHECK_INT(line->count, 32);
        CHECK_NEAR(line->points[0].y, k / 8.0, 1e-15); // rounding
        CHECK_NEAR(line->points[31].x, 2, 1e-15);
        if (k == 0) {
            CHECK_NEAR(line->points[31].y, 0, 1e-12); // interpolated between nodes
        }
    }
    const CaromItem *front = line_of(field, 9);
    CHECK_INT(front->count, 4);
    CHECK_NEAR(front->points[1].y, 1, 1e-15);
    CHECK_NEAR(front->points[3].y, 0, 1e-15);
    close_figure(&f, figure);
}

TEST(contact_without_a_bounce_or_samples) {
    Fixture f;
    CaromFigure *figure = make(&f, "{" ROD ",'impact_speed':0.1}", carom_make_contact);
    CHECK(!carom_shows_story(f.solution) && carom_shows_contact(f.solution));
    CHECK(line_of(figure->first[0], 0)->count == 32);
    close_figure(&f, figure);
}

// Shares of the energy add up to all of it at every time.
TEST(story_accounts_for_the_energy) {
    Fixture f;
    CaromFigure *figure = make(&f, "{" ROD ",'impact_speed':4,'follow':3}", carom_make_story);
    const CaromPanel *energies = figure->first[0]->next;
    const CaromItem *centre = line_of(energies, 0), *vibration = line_of(energies, 1);
    const CaromItem *lost = line_of(energies, 2);
    CHECK_INT(centre->count, 6 * 32);
    for (int i = 0; i < centre->count; i++) {
        double sum = centre->points[i].y + vibration->points[i].y + lost->points[i].y;
        CHECK_NEAR(sum, 100, 1e-11); // rounding
    }
    CHECK_NEAR(centre->points[0].y, 100, 1e-11);
    close_figure(&f, figure);
}

// A gap where there is no bounce, else shares that add up.
TEST(curve_has_gaps) {
    Fixture f;
    CaromFigure *figure = make(
        &f,
        "{" ROD ",'impact_speed':4,'sweep':{'over':'impact_speed','from':0.1,'to':4,'count':9}}",
        carom_make_rod_curve);
    const CaromItem *centre = line_of(figure->first[0], 0),
                    *vibration = line_of(figure->first[0], 1);
    const CaromItem *lost = line_of(figure->first[0], 2);
    CHECK(isnan(centre->points[0].y));
    for (int i = 1; i < 9; i++) {
        double sum = centre->points[i].y + vibration->points[i].y + lost->points[i].y;
        CHECK_NEAR(sum, 100, 1e-9); // what the ledger leaves open
    }
    CHECK(carom_shows_rod_curve(f.solution));
    close_figure(&f, figure);
}
