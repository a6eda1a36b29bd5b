// The exact text of both renderers.
#include "check.hpp"

#include "../ply/profiler.hpp"
#include "../ply/render.hpp"

namespace {

void an_empty_list() {
    ply::profiler_list list;
    page table;
    ply::render_table(table, list, 3, 5);
    CHECK_TEXT(table.text, "name         resumes     <16     <32    >=32\n");
    page json;
    ply::render_json(json, list);
    CHECK_TEXT(json.text, "[]\n");
}

void a_table_of_two() {
    ply::profiler_list list;
    ply::profiler a{"blinker"}, b{"a name of more than twelve"};
    list.add(a);
    list.add(b);
    a.times.count(0);
    a.times.count(3);
    a.times.count(4);
    a.times.count(1000);
    for (int k = 0; k < 12; k += 1) {
        b.times.count(40);
    }
    page table;
    ply::render_table(table, list, 2, 5);
    CHECK_TEXT(table.text, "name         resumes      <8     <16     <32    >=32\n"
                           "blinker            4       3       0       0       1\n"
                           "a name of more than twelve      12       0       0       0      12\n");
}

void all_columns_and_their_suffixes() {
    ply::profiler_list list;
    page table;
    ply::render_table(table, list, 0, 200);
    CHECK_TEXT(table.text, "name         resumes      <2      <4      <8     <16     <32     <64    <128    <256"
                           "    <512     <1k     <2k     <4k     <8k    <16k    <32k    <64k   <128k   <256k"
                           "   <512k     <1M     <2M     <4M     <8M    <16M    <32M    <64M   <128M   <256M"
                           "   <512M     <1G     <2G    >=2G\n");
    page usual;
    ply::render_table(usual, list);
    CHECK(strstr(usual.text, "resumes      <2 ") != nullptr);
    CHECK_TEXT(usual.text + usual.length - 17, "    <32k   >=32k\n");
}

void a_first_column_beyond_the_last_is_the_last() {
    ply::profiler_list list;
    ply::profiler a{"a"};
    list.add(a);
    a.times.count(1);
    page one;
    ply::render_table(one, list, 9, 4);
    CHECK_TEXT(one.text, "name         resumes    >=16\n"
                         "a                  1       1\n");
}

void buckets_that_stopped_are_marked() {
    ply::profiler_list list;
    ply::profiler a{"often"};
    list.add(a);
    for (uint32_t k = 0; k < 70000; k += 1) {
        a.times.count(9);
    }
    a.times.count(1);
    page table;
    ply::render_table(table, list, 2, 4);
    CHECK_TEXT(table.text, "name         resumes      <8     <16    >=16\n"
                           "often         65536+       1  65535+       0\n");
}

void json_has_all_buckets_and_quotes_names() {
    ply::profiler_list list;
    ply::profiler a{"a"}, b{"b \"\\\n\x1f"};
    list.add(a);
    list.add(b);
    a.times.count(1);
    a.times.count(6);
    a.times.count(0x80000000);
    page json;
    ply::render_json(json, list);
    CHECK_TEXT(json.text,
               "[{\"name\":\"a\",\"resumes\":3,\"buckets\":"
               "[1,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1]},"
               "{\"name\":\"b \\\"\\\\\\u000a\\u001f\",\"resumes\":0,\"buckets\":"
               "[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}]\n");
}

} // namespace

int main() {
    an_empty_list();
    a_table_of_two();
    all_columns_and_their_suffixes();
    a_first_column_beyond_the_last_is_the_last();
    buckets_that_stopped_are_marked();
    json_has_all_buckets_and_quotes_names();
    puts("render: all passed");
}
