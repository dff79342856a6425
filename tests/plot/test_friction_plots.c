// SPDX-License-Identifier: Apache-2.0
// What the pictures of friction put on their panels: modes along the impulse, curves and points.
#include "plot/plot_fixture.h"

static int count_items(const CaromPanel *panel, CaromItemKind kind) {
    int count = 0;
    for (const CaromItem *item = panel->items; item; item = item->next) {
        count += item->kind == kind;
    }
    return count;
}

static int count_entries(const CaromPanel *panel) {
    int count = 0;
    for (const CaromItem *item = panel->entries; item; item = item->next) {
        count++;
    }
    return count;
}

// The ball of [Jia2010, section 3.1]: slips to 0.625, sticks to 7.3656, slips back to 7.5 N s.
TEST(ball_slips_sticks_and_slips_back) {
    Fixture f;
    CaromFigure *figure =
        make(&f,
             "{'kind':'impact','bodies':{'ball':{'mass':1,'radius':1,'position':[0,0,1],"
             "'velocity':[-1,0,-5],'angular_velocity':[0,2,0]},'floor':{'fixed':true}},'contacts':"
             "[{'between':['ball','floor'],'point':[0,0,0],'normal':[0,0,1],'restitution':0.5,"
             "'friction':0.4,'tangential':{'poisson':0.3}}]}",
             carom_make_modes);
    const CaromPanel *impulse = figure->first[0];
    const double ends[3] = {0.625, 7.365581970281, 7.5};
    const CaromInk inks[3] = {CAROM_INK_BLUE, CAROM_INK_ORANGE, CAROM_INK_PURPLE};
    int i = 0;
    for (const CaromItem *item = impulse->items; item; item = item->next) {
        if (item->kind == CAROM_ITEM_LINE && i < 3) {
            CHECK_NEAR(item->points[item->count - 1].x, ends[i], 1e-9); // the solver's tolerance
            CHECK_INT(item->look.line, inks[i]);
            i++;
        }
    }
    CHECK_INT(count_items(impulse, CAROM_ITEM_LINE), 3);
    CHECK_INT(i, 3);
    CHECK_INT(count_items(impulse, CAROM_ITEM_MARK), 4); // the events
    CHECK_INT(count_entries(impulse), 3);
    const CaromPanel *velocity = figure->first[1];
    CHECK_INT(count_items(velocity, CAROM_ITEM_LINE), 3);
    CHECK_INT(count_items(velocity->next, CAROM_ITEM_LINE), 3); // two springs and the loss
    CHECK(velocity->next->next == NULL);                        // straight: no plane of impulses
    close_figure(&f, figure);
}

// Nothing to show without friction, nor of contacts too many for columns.
TEST(modes_need_friction) {
    Fixture f;
    CHECK(fixture_parse(&f, "{'kind':'impact','W':[[1,0,0],[0,1,0],[0,0,1]],"
                            "'contact_velocity':[1,0,-1]}") == CAROM_OK);
    CHECK(carom_scene_solve(f.scene, 8, &f.solution) == CAROM_OK);
    CHECK(!carom_shows_modes(f.solution));
    fixture_close(&f);
}

TEST(curves_of_a_sweep) {
    Fixture f;
    CaromFigure *figure =
        make(&f,
             "{'kind':'sweep','title':'T','scene':{'kind':'impact','W':[[1,0,0],[0,1,0],[0,0,1]],"
             "'contact_velocity':[1,0,-1]},'over':{'name':'mu','from':0,'to':1,'count':5},"
             "'set':{'friction':'=mu'},'curves':[{'label':'a'},{'label':'b','set':"
             "{'restitution':0.5}}],'show':[{'value':'-impulse[0]','points':[[0.1,0.2],[0.2,0.4],"
             "[0.3,0.6]]},{'value':'impulse[2]'}]}",
             carom_make_curves);
    const CaromPanel *upper = figure->first[0], *lower = upper->next;
    CHECK_INT(count_items(upper, CAROM_ITEM_LINE), 2);
    CHECK_INT(count_items(upper, CAROM_ITEM_MARK), 3);
    CHECK_INT(count_entries(upper), 3); // two curves and the points
    CHECK_INT(count_items(lower, CAROM_ITEM_LINE), 2);
    CHECK_INT(count_entries(lower), 0); // named above
    CHECK_STRING(upper->x.title, "");
    CHECK_STRING(lower->x.title, "mu");
    const CaromItem *last = upper->items->next; // the first curve is drawn over the others
    CHECK_NEAR(last->points[1].y, 0.5, 1e-15);  // 0.25 times 1 + e, rounding
    close_figure(&f, figure);
}
