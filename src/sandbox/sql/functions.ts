/**
 * The functions that SQL may use. Left out are those that tell about the computer or the database, read another clock
 * than the sandbox's or draw at random, run other statements, take lambdas, cost far more than the length of their
 * input (`levenshtein`), or make much out of little (`repeat`, `lpad`, lists of `range`).
 */

const words = (text: string) => new Set(text.trim().split(/\s+/));

/** Answers are numbers, truth values and times, whose size does not grow with what goes in. */
export const SMALL_ANSWERS = words(`
  + - * / // % ^ ** & | ~ << >> @ !__postfix ~~ !~~ ~~* !~~* ~~~ ^@ @> <@ && add subtract multiply divide
  like_escape not_like_escape ilike_escape not_ilike_escape
  abs ceil ceiling floor round round_even roundbankers trunc sign signbit sqrt cbrt pow power exp ln log log2 log10 mod
  fmod fdiv pi sin cos tan asin acos atan atan2 sinh cosh tanh degrees radians even gcd lcm factorial gamma lgamma
  isnan isinf isfinite xor bit_count hash md5_number
  length len char_length character_length strlen octet_length bit_length ascii unicode ord instr strpos position
  contains starts_with ends_with prefix suffix regexp_matches regexp_full_match
  array_length cardinality list_contains array_contains list_has array_has list_has_any array_has_any list_has_all
  array_has_all list_position array_position list_indexof array_indexof list_unique array_unique map_contains
  list_sum list_avg list_count
  json_array_length json_valid json_type json_contains json_exists
  date_diff datediff date_sub datesub date_part datepart date_trunc datetrunc date_add age time_bucket make_date
  make_time make_timestamp make_timestamp_ms year quarter month week day hour minute second millisecond microsecond
  epoch epoch_ms epoch_us epoch_ns century decade millennium era dayofweek isodow dayofmonth dayofyear weekday
  weekofyear isoyear yearweek julian last_day days_in_month to_timestamp timezone strptime try_strptime
  to_microseconds to_milliseconds to_seconds to_minutes to_hours to_days to_weeks to_months to_quarters to_years
  now today yesterday tohour todayofweek todayofmonth tomonth toyear todate todatetime toint tofloat tostartofminute
  tostartofhour tostartofday tostartofweek tostartofmonth tostartofquarter tostartofyear tointervalsecond
  tointervalminute tointervalhour tointervalday tointervalweek tointervalmonth empty notempty
  count count_star count_if countif sum sum_no_overflow avg mean fsum favg kahan_sum product stddev stddev_pop
  stddev_samp variance var_pop var_samp corr covar_pop covar_samp regr_avgx regr_avgy regr_count regr_intercept regr_r2
  regr_slope regr_sxx regr_sxy regr_syy kurtosis skewness entropy sem geomean geometric_mean bool_and bool_or bit_and
  bit_or bit_xor approx_count_distinct uniq uniqexact uniqif sumif avgif
  row_number rank dense_rank rank_dense percent_rank cume_dist ntile
`);

/** Answers are at most as large as all that goes in. */
export const PLAIN_ANSWERS = words(`
  || concat lower lcase upper ucase trim ltrim rtrim substring substr left right reverse split_part strip_accents
  nfc_normalize regexp_extract md5 sha1 sha256 chr dayname monthname monthname strftime parse_path parse_filename
  coalesce ifnull nullif greatest least switch tostring lowerutf8
  list_value array_value list_concat list_cat array_concat array_cat list_append array_append list_prepend array_prepend
  list_extract array_extract list_element element_at list_slice array_slice list_sort array_sort list_reverse_sort
  list_distinct array_distinct list_reverse array_reverse list_intersect array_intersect list_min list_max list_first
  list_last flatten arrayjoin unnest
  row struct_pack struct_extract map map_keys map_values map_entries map_extract map_extract_value map_from_entries
  -> ->> json_extract json_extract_path json_extract_string json_extract_path_text json_keys json_value json_array
  json_object json_merge_patch variant_extract
  min max minif maxif arg_min argmin min_by arg_max argmax max_by any_value arbitrary first last first_value last_value
  nth_value lag lead mode median quantile quantile_cont quantile_disc approx_quantile mad
`);

/** Answers are a few times as large as what goes in: other digits, escapes, an entry for each character. */
export const WIDE_ANSWERS = words(`
  hex to_hex unhex from_hex bin to_base64 base64 from_base64 url_encode url_decode encode decode to_json json_quote
  array_to_json json string_split str_split split string_to_array string_split_regex str_split_regex
  regexp_split_to_array regexp_extract_all regexp_escape translate concat_ws
`);

/** Answers repeat one of the inputs for parts of another. */
export const REPEATING_ANSWERS = words('replace regexp_replace replaceregexpall array_to_string');

/** Answers hold something of every row. */
export const COLLECTED_ANSWERS = words(`
  list array_agg string_agg group_concat listagg histogram json_group_array json_group_object grouparray groupuniqarray
  approx_top_k
`);

export const TABLE_FUNCTIONS = words('unnest range generate_series');
