/**
 * How the sandbox's database writes the functions of the service: name, what comes out, and the text. A name with
 * `@kind` is for a first argument of this kind, with `@kind,kind` for arguments of these kinds, one with `:word` for a call with this constant among its arguments. `$1`
 * is an argument, `$*` all of them, `$row` one or a row of them, `$path` the keys behind the first, `$keys` those without
 * the last, `$p1` and `$p*` parameters, `$o` the order within the brackets of an aggregate, `$f` the place of its FILTER
 * and OVER.
 *
 * What comes out is a kind, `=` for that of the first argument, `=2` for that of the second or `=~` for the first that is
 * known. It is missing if an argument is, with `?` always perhaps, with `!` never, with `&` if all arguments are. Its size
 * is the sum of all arguments; `*` four times that, `#` the last argument for each match, `+` something of every row. With
 * `.` further arguments do not matter here.
 */
export const TRANSLATIONS = String.raw`
count integer! count($*)$f
countDistinct integer! count(distinct $1)$f
uniq integer! count(distinct $row)$f
uniqExact integer! count(distinct $row)$f
uniqHLL12 integer! count(distinct $row)$f
uniqTheta integer! count(distinct $row)$f
uniqCombined integer! count(distinct $1)$f
uniqCombined64 integer! count(distinct $1)$f
sum = sum($1)$f
sum@flag integer sum($1)$f
sum@boolean integer sum($1)$f
sumWithOverflow = sum($1)$f
avg number? avg($1)$f
avgWeighted number? (sum($1 * $2)$f / sum($2)$f)
min = min($1)$f
max = max($1)$f
any = any_value($1)$f
anyHeavy = mode($1)$f
anyLast = last($1)$f
argMin = arg_min($1, $2)$f
argMax = arg_max($1, $2)$f
median number? quantile_cont($1, 0.5)$f
medianExact =? quantile_disc($1, 0.5)$f
quantile number? quantile_cont($1, $p1)$f
quantileExact =? quantile_disc($1, $p1)$f
quantiles list? quantile_cont($1, [$p*])$f
topK list!+ coalesce(approx_top_k($1, $p1)$f, [])
groupArray list!+ coalesce(list($1$o)$f, [])
array_agg list!+ coalesce(list($1$o)$f, [])
groupUniqArray list!+ coalesce(list(distinct $1)$f, [])
string_agg text!+ coalesce(string_agg($1, $2$o)$f, '')
json_agg text!+ coalesce(to_json(list($1$o)$f)::varchar, '[]')
every boolean bool_and($1)$f
stddevPop number? stddev_pop($1)$f
stddevSamp number? stddev_samp($1)$f
varPop number? var_pop($1)$f
varSamp number? var_samp($1)$f
covarPop number? covar_pop($1, $2)$f
covarSamp number? covar_samp($1, $2)$f
corr number? corr($1, $2)$f
skewSamp number? skewness($1)$f
kurtSamp number? kurtosis($1)$f
kurtPop number? kurtosis_pop($1)$f
groupBitAnd integer bit_and($1)$f
groupBitOr integer bit_or($1)$f
groupBitXor integer bit_xor($1)$f
md5 text upper(md5($1))
row_number integer! row_number()$f
rank integer! rank()$f
dense_rank integer! dense_rank()$f
first_value = first($1)$f
last_value = last($1)$f
nth_value =? nth_value($1, $2)$f
lag = lag($*)$f
lead = lead($*)$f
lagInFrame = lag($*)$f
leadInFrame = lead($*)$f
now time! (select make_timestamp(now) from store.sandbox)
current_timestamp time! (select make_timestamp(now) from store.sandbox)
today day! (select make_timestamp(now)::date from store.sandbox)
current_date day! (select make_timestamp(now)::date from store.sandbox)
yesterday day! (select make_timestamp(now)::date - 1 from store.sandbox)
toStartOfSecond time date_trunc('second', $1)
toStartOfMinute time date_trunc('minute', $1)
toStartOfFiveMinutes time time_bucket(interval 5 minute, $1)
toStartOfTenMinutes time time_bucket(interval 10 minute, $1)
toStartOfFifteenMinutes time time_bucket(interval 15 minute, $1)
toStartOfHour time date_trunc('hour', $1)
toStartOfDay time date_trunc('day', $1)::timestamp
toStartOfMonth day date_trunc('month', $1)::date
toStartOfQuarter day date_trunc('quarter', $1)::date
toStartOfYear day date_trunc('year', $1)::date
toStartOfISOYear day make_date(isoyear($1), 1, 4) - (isodow(make_date(isoyear($1), 1, 4)) - 1)::integer
toStartOfInterval time time_bucket($2, $1)
toStartOfInterval@time,period day time_bucket($2, $1)::date
toStartOfInterval@day,period day time_bucket($2, $1)::date
dateTrunc time date_trunc($1, $2)::timestamp
date_trunc time date_trunc($1, $2)::timestamp
dateTrunc:year day date_trunc($1, $2)::date
dateTrunc:quarter day date_trunc($1, $2)::date
dateTrunc:month day date_trunc($1, $2)::date
dateTrunc:week day date_trunc($1, $2)::date
date_trunc:year day date_trunc($1, $2)::date
date_trunc:quarter day date_trunc($1, $2)::date
date_trunc:month day date_trunc($1, $2)::date
date_trunc:week day date_trunc($1, $2)::date
toStartOfWeek day case when coalesce($2, 0) % 2 = 1 then date_trunc('week', $1)::date else date_trunc('week', $1 + interval 1 day)::date - 1 end
toMonday day date_trunc('week', $1)::date
toLastDayOfMonth day last_day($1)
timeSlot time time_bucket(interval 30 minute, $1)
toSecond integer second($1)
toMinute integer minute($1)
toHour integer hour($1)
toDayOfMonth integer day($1)
toDayOfWeek integer ([isodow($1), isodow($1) - 1, isodow($1) % 7, isodow($1) % 7 + 1])[coalesce($2, 0) + 1]
toDayOfYear integer dayofyear($1)
toMonth integer month($1)
toQuarter integer quarter($1)
toYear integer year($1)
toISOWeek integer weekofyear($1)
toISOYear integer isoyear($1)
toYYYYMM integer (year($1) * 100 + month($1))
toYYYYMMDD integer (year($1) * 10000 + month($1) * 100 + day($1))
toYYYYMMDDhhmmss integer strftime($1, '%Y%m%d%H%M%S')::bigint
toUnixTimestamp integer floor(epoch($1))::bigint
toUnixTimestamp@text integer? floor(epoch(try_cast($1 as timestamp)))::bigint
toUnixTimestamp64Milli integer epoch_ms($1)
fromUnixTimestamp time make_timestamp(($1)::bigint * 1000000)
fromUnixTimestamp64Milli time make_timestamp(($1)::bigint * 1000)
to_timestamp time make_timestamp((($1) * 1000000)::bigint)
monthName text monthname($1)
toModifiedJulianDay integer? (date_diff('day', date '1858-11-17', try_cast($1 as date)))
fromModifiedJulianDay day? (date '1858-11-17' + ($1)::integer)
dateDiff integer date_diff($1, $2, $3)
dateDiff:week integer date_diff($1, date_trunc($1, $2), date_trunc($1, $3))
date_diff integer date_diff($1, $2, $3)
date_diff:week integer date_diff($1, date_trunc($1, $2), date_trunc($1, $3))
age integer date_sub($1, $2, $3)
make_date day make_date($1, $2, $3)
make_timestamp time make_timestamp($1, $2, $3, $4, $5, $6)
addSeconds time ($1 + to_seconds($2))
addMinutes time ($1 + to_minutes($2))
addHours time ($1 + to_hours($2))
addDays time ($1 + to_days($2::integer))
addDays@day day ($1 + ($2)::integer)
addWeeks time ($1 + to_weeks($2::integer))
addWeeks@day day ($1 + to_weeks($2::integer))::date
addMonths time ($1 + to_months($2::integer))
addMonths@day day ($1 + to_months($2::integer))::date
addQuarters time ($1 + to_quarters($2::integer))
addQuarters@day day ($1 + to_quarters($2::integer))::date
addYears time ($1 + to_years($2::integer))
addYears@day day ($1 + to_years($2::integer))::date
subtractSeconds time ($1 - to_seconds($2))
subtractMinutes time ($1 - to_minutes($2))
subtractHours time ($1 - to_hours($2))
subtractDays time ($1 - to_days($2::integer))
subtractDays@day day ($1 - ($2)::integer)
subtractWeeks time ($1 - to_weeks($2::integer))
subtractWeeks@day day ($1 - to_weeks($2::integer))::date
subtractMonths time ($1 - to_months($2::integer))
subtractMonths@day day ($1 - to_months($2::integer))::date
subtractQuarters time ($1 - to_quarters($2::integer))
subtractQuarters@day day ($1 - to_quarters($2::integer))::date
subtractYears time ($1 - to_years($2::integer))
subtractYears@day day ($1 - to_years($2::integer))::date
dateAdd time ($3 + (($2)::varchar || ' ' || $1)::interval)
dateAdd@time time ($1 + $2)
dateSub time ($3 - (($2)::varchar || ' ' || $1)::interval)
dateSub@time time ($1 - $2)
date_part integer date_part($1, $2)
date_add time ($1 + $2)
date_subtract time ($1 - $2)
timeStampAdd time ($1 + $2)
timeStampSub time ($1 - $2)
toIntervalSecond interval to_seconds($1)
toIntervalMinute interval to_minutes($1)
toIntervalHour interval to_hours($1)
toIntervalDay days to_days($1::integer)
toIntervalWeek period to_weeks($1::integer)
toIntervalMonth period to_months($1::integer)
toIntervalQuarter period to_quarters($1::integer)
toIntervalYear period to_years($1::integer)
toDate day? try_cast(try_cast($1 as timestamp) as date)
toDate@time day ($1)::date
toDate@day day $1
toDate@integer day (date '1970-01-01' + ($1)::integer)
to_date day? try_cast(try_cast($1 as timestamp) as date)
to_date@time day ($1)::date
to_date@day day $1
toDateTime time? timezone('UTC', try_cast($1 as timestamptz))
toTimeZone time ($1 at time zone 'UTC' at time zone coalesce($2, 'UTC'))
toDateTime@time time $1
toDateTime@text,text time? timezone('UTC', timezone($2, try_cast($1 as timestamp)))
toDateTime@day time ($1)::timestamp
toDateTime@integer time make_timestamp(($1)::bigint * 1000000)
toDateTime64 time?. try_cast($1 as timestamp)
parseDateTimeBestEffort time? timezone('UTC', try_cast($1 as timestamptz))
toString text cast($1 as varchar)
toString@number text regexp_replace(cast($1 as varchar), '\.0$$', '')
toString@flag text cast(($1)::utinyint as varchar)
toString@list text* to_json($1)::varchar
toNullableString text cast($1 as varchar)
toJSONString text* to_json($1)::varchar
toJSONString@json text cast($1 as varchar)
toInt integer? try_cast($1 as bigint)
toInt@text integer? case when regexp_full_match($1, '[-+]?[0-9]+') then try_cast($1 as bigint) end
toInt@number integer? case when $1 = trunc($1) then try_cast($1 as bigint) end
toInt@time integer floor(epoch($1))::bigint
toIntOrZero integer! coalesce(case when regexp_full_match($1, '[-+]?[0-9]+') then try_cast($1 as bigint) end, 0)
toIntOrDefault integer! coalesce(try_cast($1 as bigint), $2)
toFloat number? try_cast($1 as double)
toFloatOrZero number! coalesce(try_cast($1 as double), 0)
toFloatOrDefault number! coalesce(try_cast($1 as double), $2)
toFloatOrNull number? try_cast($1 as double)
toFloat64OrNull number? try_cast($1 as double)
toDecimal number?. try_cast($1 as decimal(18, 4))
toBool boolean try_cast($1 as boolean)
toUUID uuid? try_cast($1 as uuid)
toUUIDOrDefault uuid! coalesce(try_cast($1 as uuid), $2)
coalesce =~& coalesce($*)
ifnull =~& coalesce($*)
nullif =? nullif($1, $2)
assumeNotNull =! $1
toNullable =? $1
isnull flag! ($1 is null)
isNotNull flag! ($1 is not null)
isFinite flag isfinite(($1)::double)
isInfinite flag isinf(($1)::double)
isNaN flag isnan(($1)::double)
not flag (not $1)
exists flag! exists $1
xor flag xor($*)
plus = ($1 + $2)
minus = ($1 - $2)
multiply = ($1 * $2)
divide number ($1 / $2)
intDiv integer case when $2 = 0 then error('Division by zero') else trunc($1 / $2)::bigint end
intDivOrZero integer coalesce(trunc($1 / nullif($2, 0))::bigint, 0)
modulo = ($1 % $2)
moduloOrZero = coalesce($1 % nullif($2, 0), 0)
positiveModulo = ((($1 % $2) + abs($2)) % $2)
negate = (-($1))
abs = abs($1)
gcd integer gcd($1, $2)
lcm integer lcm($1, $2)
max2 number greatest($1, $2)
min2 number least($1, $2)
greatest = greatest($*)
least = least($*)
round = round_even($1, coalesce($2, 0))
floor = (floor(($1) * pow(10, coalesce($2, 0))) / pow(10, coalesce($2, 0)))
ceil = (ceil(($1) * pow(10, coalesce($2, 0))) / pow(10, coalesce($2, 0)))
trunc = (trunc(($1) * pow(10, coalesce($2, 0))) / pow(10, coalesce($2, 0)))
roundBankers = round_even($1, 0)
sign integer sign($1)
sqrt number sqrt($1)
cbrt number cbrt($1)
exp number exp($1)
exp2 number pow(2, $1)
exp10 number pow(10, $1)
ln number ln($1)
log number ln($1)
log2 number log2($1)
log10 number log10($1)
log1p number ln(1 + $1)
pow number pow($1, $2)
power number pow($1, $2)
sin number sin($1)
cos number cos($1)
tan number tan($1)
asin number asin($1)
acos number acos($1)
atan number atan($1)
atan2 number atan2($1, $2)
sinh number sinh($1)
cosh number cosh($1)
asinh number asinh($1)
acosh number acosh($1)
atanh number atanh($1)
hypot number sqrt(pow($1, 2) + pow($2, 2))
degrees number degrees($1)
radians number radians($1)
factorial integer factorial(($1)::integer)
lgamma number lgamma($1)
tgamma number gamma($1)
e number! exp(1)
pi number! pi()
bitAnd integer (($1)::bigint & ($2)::bigint)
bitOr integer (($1)::bigint | ($2)::bigint)
bitXor integer xor(($1)::bigint, ($2)::bigint)
bitNot integer (~($1)::bigint)
bitShiftLeft integer (($1)::bigint << ($2)::bigint)
bitShiftRight integer (($1)::bigint >> ($2)::bigint)
bitCount integer bit_count($1)
length integer strlen($1)
length@list integer len($1)
lengthUTF8 integer length($1)
empty flag ($1 = '')
empty@list flag (len($1) = 0)
empty@uuid flag ($1 = '00000000-0000-0000-0000-000000000000')
isEmpty flag ($1 = '')
isEmpty@list flag (len($1) = 0)
notEmpty flag ($1 <> '')
notEmpty@list flag (len($1) > 0)
notEmpty@uuid flag ($1 <> '00000000-0000-0000-0000-000000000000')
isNotEmpty flag ($1 <> '')
isNotEmpty@list flag (len($1) > 0)
lower text translate($1, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')
upper text translate($1, 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ')
lowerUTF8 text lower($1)
upperUTF8 text upper($1)
initcap text array_to_string(list_transform(string_split($1, ' '), lambda w: upper(left(w, 1)) || lower(substring(w, 2))), ' ')
reverse text reverse($1)
reverse@list list list_reverse($1)
reverseUTF8 text reverse($1)
concat text! concat($*)
concatWithSeparator text* concat_ws($*)
substring text substring($1, $2, $3)
substringUTF8 text substring($1, $2, $3)
leftPad text* case when $2 > 1000 then error('The sandbox pads up to 1000 characters') else lpad($1, ($2)::integer, coalesce($3, ' ')) end
leftPadUTF8 text* case when $2 > 1000 then error('The sandbox pads up to 1000 characters') else lpad($1, ($2)::integer, coalesce($3, ' ')) end
lpad text* case when $2 > 1000 then error('The sandbox pads up to 1000 characters') else lpad($1, ($2)::integer, coalesce($3, ' ')) end
rightPad text* case when $2 > 1000 then error('The sandbox pads up to 1000 characters') else rpad($1, ($2)::integer, coalesce($3, ' ')) end
rightPadUTF8 text* case when $2 > 1000 then error('The sandbox pads up to 1000 characters') else rpad($1, ($2)::integer, coalesce($3, ' ')) end
rpad text* case when $2 > 1000 then error('The sandbox pads up to 1000 characters') else rpad($1, ($2)::integer, coalesce($3, ' ')) end
repeat text+ case when $2 > 1000 then error('The sandbox repeats up to 1000 times') else repeat($1, $2) end
left text left($1, $2)
right text right($1, $2)
trim text trim($*)
btrim text trim($*)
trimLeft text ltrim($*)
ltrim text ltrim($*)
trimRight text rtrim($*)
rtrim text rtrim($*)
startsWith flag starts_with($1, $2)
endsWith flag ends_with($1, $2)
position integer strpos($1, $2)
positionUTF8 integer strpos($1, $2)
positionCaseInsensitive integer strpos(lower($1), lower($2))
positionCaseInsensitiveUTF8 integer strpos(lower($1), lower($2))
locate integer strpos($1, $2)
like flag ($1 like $2)
ilike flag ($1 ilike $2)
match flag regexp_matches($1, $2, 's')
extract text! coalesce(regexp_extract($1, $2, case when contains($2, '(') then 1 else 0 end, 's'), '')
regexpExtract text! coalesce(regexp_extract($1, $2, 1, 's'), '')
extractAll list* regexp_extract_all($1, $2, case when contains($2, '(') then 1 else 0 end)
countSubstrings integer ((length($1) - length(replace($1, $2, ''))) // length($2))
countMatches integer len(regexp_extract_all($1, $2))
replace text# replace($1, $2, $3)
replaceOne text# regexp_replace($1, regexp_escape($2), $3)
replaceAll text# replace($1, $2, $3)
replaceRegexpOne text# regexp_replace($1, $2, $3, 's')
replaceRegexpAll text# regexp_replace($1, $2, $3, 'gs')
regexpQuoteMeta text* regexp_escape($1)
translate text translate($1, $2, $3)
translateUTF8 text translate($1, $2, $3)
splitByChar list* string_split($2, $1)
splitByString list* string_split($2, $1)
splitByRegexp list* string_split_regex($2, $1)
splitByWhitespace list* string_split_regex(trim($1), '\s+')
splitByNonAlpha list* list_filter(string_split_regex($1, '[\s[:punct:]]+'), lambda w: w <> '')
alphaTokens list* regexp_extract_all($1, '[a-zA-Z]+')
tokens list* regexp_extract_all($1, '[a-zA-Z0-9]+')
split_part text split_part($1, $2, $3)
ascii integer ascii($1)
hex text* upper(hex($1))
base64Encode text* to_base64(encode($1))
encodeURLComponent text* url_encode($1)
decodeURLComponent text* url_decode($1)
MD5 text unhex(md5($1))
protocol text regexp_extract($1, '^([a-zA-Z]+)://', 1)
domain text regexp_extract($1, '^(?:[a-zA-Z]+:)?//([^/:?#]*)', 1)
netloc text regexp_extract($1, '^(?:[a-zA-Z]+:)?//([^/?#]*)', 1)
domainWithoutWWW text regexp_replace(regexp_extract($1, '^(?:[a-zA-Z]+:)?//([^/:?#]*)', 1), '^www\.', '')
topLevelDomain text regexp_extract($1, '^(?:[a-zA-Z]+:)?//[^/:?#]*\.([^/.:?#]+)', 1)
path text regexp_extract($1, '^(?:[a-zA-Z]+:)?//[^/?#]*([^?#]*)', 1)
pathFull text regexp_extract($1, '^(?:[a-zA-Z]+:)?//[^/?#]*(.*)', 1)
queryString text regexp_extract($1, '\?([^#]*)', 1)
fragment text regexp_extract($1, '#(.*)', 1)
queryStringAndFragment text regexp_extract($1, '\?(.*)', 1)
cutQueryString text regexp_replace($1, '\?[^#]*', '')
cutFragment text regexp_replace($1, '#.*', '')
cutQueryStringAndFragment text regexp_replace($1, '[?#].*', '')
cutWWW text regexp_replace($1, '//www\.', '//')
extractURLParameter text url_decode(regexp_extract($1, '[?&]' || regexp_escape($2) || '=([^&#]*)', 1))
array list [$*]
tuple other row($*)
arrayConcat list list_concat($*)
arrayElement other? ($1)[$2]
tupleElement other? ($1)[$2]
has flag coalesce(list_contains($1, $2), false)
hasAll flag list_has_all($1, $2)
hasAny flag list_has_any($1, $2)
indexOf integer coalesce(list_position($1, $2), 0)
countEqual integer len(list_filter($1, lambda one: one = $2))
arrayPushBack list list_append($1, $2)
arrayPushFront list list_prepend($2, $1)
arrayPopBack list ($1)[:-2]
arrayPopFront list ($1)[2:]
arraySlice list list_slice($1, $2, $2 + coalesce($3, len($1)) - 1)
arrayDistinct list list_distinct($1)
arrayUniq integer len(list_distinct($1))
arrayReverse list list_reverse($1)
arrayFlatten list flatten($1)
arrayCompact list list_filter($1, lambda one, place: place = 1 or one is distinct from ($1)[place - 1])
arrayIntersect list list_intersect($1, $2)
arrayZip list list_zip($*)
range list+ case when coalesce($2 - $1, $1) / coalesce($3, 1) > 10000 then error('A range has at most 10000 numbers') when $2 is null then range($1) else range($1, $2, coalesce($3, 1)) end
arrayEnumerate list range(1, len($1) + 1)
arrayStringConcat text array_to_string($1, coalesce($2, ''))
arrayMap@lambda list list_transform($2, $1)
arrayFilter@lambda list list_filter($2, $1)
arrayExists@lambda flag (len(list_filter($2, $1)) > 0)
arrayAll@lambda flag (len(list_filter($2, $1)) = len($2))
arrayCount@lambda integer len(list_filter($2, $1))
arrayCount integer len(list_filter($1, lambda one: one <> 0))
arrayFirst@lambda other? (list_filter($2, $1))[1]
arrayLast@lambda other? (list_filter($2, $1))[-1]
arrayFirstIndex@lambda integer coalesce(list_position(list_transform($2, $1), true), 0)
arraySum number coalesce(list_sum($1), 0)
arraySum@lambda number coalesce(list_sum(list_transform($2, $1)), 0)
arrayAvg number? list_avg($1)
arrayAvg@lambda number? list_avg(list_transform($2, $1))
arrayMin other? list_min($1)
arrayMin@lambda other? list_min(list_transform($2, $1))
arrayMax other? list_max($1)
arrayMax@lambda other? list_max(list_transform($2, $1))
arraySort list list_sort($1)
arraySort@lambda list list_transform(list_sort(list_zip(list_transform($2, $1), $2)), lambda pair: pair[2])
arrayReverseSort list list_reverse_sort($1)
arrayReverseSort@lambda list list_transform(list_reverse_sort(list_zip(list_transform($2, $1), $2)), lambda pair: pair[2])
arrayProduct number list_product($1)
arrayCumSum list list_transform($1, lambda one, place: list_sum(($1)[1:place]))
arrayDifference list list_transform($1, lambda one, place: one - coalesce(($1)[place - 1], one))
JSONHas flag! coalesce(json_exists($1, $path), false)
JSONLength integer! coalesce(json_array_length($1, $path), len(json_keys($1, $path)), 0)
JSONArrayLength integer! coalesce(json_array_length($1, $path), 0)
JSONType text coalesce(json_type($1, $path), 'Null')
JSONExtractString text! case when json_type($1, $path) = 'VARCHAR' then json_extract_string($1, $path) else '' end
JSONExtractInt integer! coalesce(try_cast(json_extract_string($1, $path) as bigint), 0)
JSONExtractUInt integer! coalesce(try_cast(json_extract_string($1, $path) as ubigint), 0)
JSONExtractFloat number! coalesce(try_cast(json_extract_string($1, $path) as double), 0)
JSONExtractBool flag! coalesce(json_extract_string($1, $path) = 'true', false)
JSONExtractRaw text! coalesce(json_extract($1, $path)::varchar, '')
JSONExtractArrayRaw list!* coalesce(json_extract($1, $path)::json[]::varchar[], [])
JSONExtractKeys list!* coalesce(json_keys($1, $path), [])
JSONExtract:String text! case when json_type($1, $keys) = 'VARCHAR' then json_extract_string($1, $keys) else '' end
JSONExtract:Int8 integer! coalesce(try_cast(json_extract_string($1, $keys) as bigint), 0)
JSONExtract:Int16 integer! coalesce(try_cast(json_extract_string($1, $keys) as bigint), 0)
JSONExtract:Int32 integer! coalesce(try_cast(json_extract_string($1, $keys) as bigint), 0)
JSONExtract:Int64 integer! coalesce(try_cast(json_extract_string($1, $keys) as bigint), 0)
JSONExtract:UInt8 integer! coalesce(try_cast(json_extract_string($1, $keys) as bigint), 0)
JSONExtract:UInt16 integer! coalesce(try_cast(json_extract_string($1, $keys) as bigint), 0)
JSONExtract:UInt32 integer! coalesce(try_cast(json_extract_string($1, $keys) as bigint), 0)
JSONExtract:UInt64 integer! coalesce(try_cast(json_extract_string($1, $keys) as bigint), 0)
JSONExtract:Float32 number! coalesce(try_cast(json_extract_string($1, $keys) as double), 0)
JSONExtract:Float64 number! coalesce(try_cast(json_extract_string($1, $keys) as double), 0)
JSONExtract:Nullable(String) text? case when json_type($1, $keys) = 'VARCHAR' then json_extract_string($1, $keys) end
JSONExtract:Nullable(Int64) integer? try_cast(json_extract_string($1, $keys) as bigint)
JSONExtract:Nullable(Float64) number? try_cast(json_extract_string($1, $keys) as double)
JSONExtract:Bool flag! coalesce(json_extract_string($1, $keys) = 'true', false)
JSONExtract:Array(String) list!* coalesce(try_cast(json_extract($1, $keys) as varchar[]), [])
JSONExtract:Array(Nullable(String)) list!* coalesce(try_cast(json_extract($1, $keys) as varchar[]), [])
JSONExtract:Array(Int64) list!* coalesce(try_cast(json_extract($1, $keys) as bigint[]), [])
JSONExtract:Array(Float64) list!* coalesce(try_cast(json_extract($1, $keys) as double[]), [])
isValidJSON flag json_valid($1)
`;

/** Codes of the service's database for parts of a time, as the sandbox's writes them. */
export const DATE_CODES: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ...['%a', '%b', '%d', '%f', '%H', '%I', '%j', '%m', '%p', '%S', '%u', '%w', '%y', '%Y', '%V', '%G'],
    ...['%i %M', '%M %B', '%s %S', '%h %I', '%c %-m', '%e %-d', '%k %-H', '%l %-I', '%F %Y-%m-%d'],
    ...['%T %H:%M:%S', '%R %H:%M', '%D %m/%d/%y', '%r %I:%M %p', '%W %A'],
  ].map((line) => [line.slice(0, 2), line.slice(3) || line]),
);
