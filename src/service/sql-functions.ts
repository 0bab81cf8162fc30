/**
 * The functions of the service's SQL, from its own list: name, fewest and most arguments, and of those that take
 * parameters, as in `quantile(0.9)(x)`, fewest and most of them. `*` is any number. `any-case`: case does not count.
 */
export const SQL_FUNCTIONS = `
abs 1 1 any-case
accurateCast 2 2
accurateCastOrNull 2 2
acos 1 1 any-case
acosh 1 1
addDays 2 2
addHours 2 2
addMinutes 2 2
addMonths 2 2
addQuarters 2 2
addSeconds 2 2
addWeeks 2 2
addYears 2 2
age 3 3
aggregate_funnel 7 7
aggregate_funnel_array 7 7
aggregate_funnel_array_json 7 7
aggregate_funnel_array_trends 8 8
aggregate_funnel_array_trends_json 8 8
aggregate_funnel_array_trends_test 8 8
aggregate_funnel_cohort 7 7
aggregate_funnel_cohort_json 7 7
aggregate_funnel_cohort_trends 8 8
aggregate_funnel_cohort_trends_json 8 8
aggregate_funnel_json 7 7
aggregate_funnel_test 7 7
aggregate_funnel_trends 8 8
aggregate_funnel_trends_json 8 8
alphaTokens 1 2
and 2 *
any 1 1 aggregate
anyHeavy 1 1 aggregate
anyHeavyIf 2 2 aggregate
anyIf 2 2 aggregate
anyLast 1 1 aggregate
anyLastIf 2 2 aggregate
appendTrailingCharIfAbsent 2 2
argMax 2 2 aggregate
argMaxIf 3 3 aggregate
argMaxMerge 1 1 aggregate
argMaxState 2 2 aggregate
argMin 2 2 aggregate
argMinIf 3 3 aggregate
argMinMerge 1 1 aggregate
argMinState 2 2 aggregate
array 0 *
array_agg 1 1 aggregate
arrayAll 1 *
arrayAUC 2 2
arrayAvg 1 2
arrayCompact 1 1
arrayConcat 2 *
arrayCount 1 *
arrayCumSum 1 *
arrayCumSumNonNegative 1 *
arrayDifference 1 1
arrayDistinct 1 1
arrayElement 2 2
arrayEnumerate 1 1
arrayEnumerateDense 1 1
arrayEnumerateUniq 2 *
arrayExists 1 *
arrayFill 2 *
arrayFilter 2 *
arrayFirst 2 *
arrayFirstIndex 2 *
arrayFlatten 1 1
arrayFold 3 *
arrayIntersect 1 *
arrayJoin 1 1
arrayLast 2 *
arrayLastIndex 2 *
arrayMap 2 *
arrayMax 1 2
arrayMin 1 2
arrayPopBack 1 1
arrayPopFront 1 1
arrayProduct 1 1
arrayPushBack 2 2
arrayPushFront 2 2
arrayReduce 2 *
arrayResize 2 3
arrayReverse 1 1
arrayReverseFill 2 *
arrayReverseSort 1 *
arrayReverseSplit 2 *
arrayRotateLeft 2 2
arrayRotateRight 2 2
arraySlice 2 3
arraySort 1 *
arraySplit 2 *
arrayStringConcat 1 2
arraySum 1 2
arrayUniq 1 *
arrayWithConstant 2 2
arrayZip 2 *
ascii 1 1 any-case
asin 1 1 any-case
asinh 1 1
assumeNotNull 1 1
atan 1 1 any-case
atan2 2 2
atanh 1 1
avg 1 1 aggregate any-case
avgArgMax 2 2 aggregate
avgArgMaxIf 3 3 aggregate
avgArgMaxOrDefault 2 2 aggregate
avgArgMaxOrDefaultIf 3 3 aggregate
avgArgMaxOrNull 2 2 aggregate
avgArgMaxOrNullIf 3 3 aggregate
avgArgMin 2 2 aggregate
avgArgMinIf 3 3 aggregate
avgArgMinOrDefault 2 2 aggregate
avgArgMinOrDefaultIf 3 3 aggregate
avgArgMinOrNull 2 2 aggregate
avgArgMinOrNullIf 3 3 aggregate
avgArray 1 1 aggregate
avgArrayIf 2 2 aggregate
avgArrayOrDefault 1 1 aggregate
avgArrayOrDefaultIf 2 2 aggregate
avgArrayOrNull 1 1 aggregate
avgArrayOrNullIf 2 2 aggregate
avgForEach 1 1 aggregate
avgForEachIf 2 2 aggregate
avgForEachOrDefault 1 1 aggregate
avgForEachOrDefaultIf 2 2 aggregate
avgForEachOrNull 1 1 aggregate
avgForEachOrNullIf 2 2 aggregate
avgIf 2 2 aggregate
avgMap 1 1 aggregate
avgMapIf 2 3 aggregate
avgMapMerge 1 1 aggregate
avgMapMergeIf 2 2 aggregate
avgMapOrDefault 1 1 aggregate
avgMapOrDefaultIf 2 2 aggregate
avgMapOrNull 1 1 aggregate
avgMapOrNullIf 2 2 aggregate
avgMapState 2 3 aggregate
avgMerge 1 1 aggregate
avgMergeIf 2 2 aggregate
avgMergeOrDefault 1 1 aggregate
avgMergeOrDefaultIf 2 2 aggregate
avgMergeOrNull 1 1 aggregate
avgMergeOrNullIf 2 2 aggregate
avgOrDefault 1 1 aggregate
avgOrDefaultIf 2 2 aggregate
avgOrNull 1 1 aggregate
avgOrNullIf 2 2 aggregate
avgState 1 1 aggregate
avgStateIf 2 2 aggregate
avgStateOrDefault 1 1 aggregate
avgStateOrDefaultIf 2 2 aggregate
avgStateOrNull 1 1 aggregate
avgStateOrNullIf 2 2 aggregate
avgWeighted 2 2 aggregate
avgWeightedIf 3 3 aggregate
bar 4 4
base58Decode 1 1
base58Encode 1 1
base64Decode 1 1
base64Encode 1 1
bitAnd 2 2
bitCount 1 1
bitHammingDistance 2 2
bitmapAnd 2 2
bitmapAndCardinality 2 2
bitmapAndnot 2 2
bitmapAndnotCardinality 2 2
bitmapBuild 1 1
bitmapCardinality 1 1
bitmapContains 2 2
bitmapHasAll 2 2
bitmapHasAny 2 2
bitmapMax 1 1
bitmapMin 1 1
bitmapOr 2 2
bitmapOrCardinality 2 2
bitmapSubsetInRange 3 3
bitmapSubsetLimit 3 3
bitmapToArray 1 1
bitmapTransform 3 3
bitmapXor 2 2
bitmapXorCardinality 2 2
bitNot 1 1
bitOr 2 2
bitRotateLeft 2 2
bitRotateRight 2 2
bitShiftLeft 2 2
bitShiftRight 2 2
bitSlice 3 3
bitTest 2 2
bitTestAll 3 *
bitTestAny 3 *
bitXor 2 2
btrim 1 2 any-case
cbrt 1 1
ceil 1 2 any-case
cityHash64 1 1
coalesce 1 * any-case
concat 2 * any-case
concatWithSeparator 2 *
contingency 2 2 aggregate
contingencyIf 3 3 aggregate
convertCharset 3 3
convertCurrency 3 4
corr 2 2 aggregate
cos 1 1 any-case
cosh 1 1
cosineDistance 2 2
count 0 1 aggregate any-case
countArgMax 1 2 aggregate
countArgMaxIf 2 3 aggregate
countArgMaxOrDefault 1 2 aggregate
countArgMaxOrDefaultIf 2 3 aggregate
countArgMaxOrNull 1 2 aggregate
countArgMaxOrNullIf 2 3 aggregate
countArgMin 1 2 aggregate
countArgMinIf 2 3 aggregate
countArgMinOrDefault 1 2 aggregate
countArgMinOrDefaultIf 2 3 aggregate
countArgMinOrNull 1 2 aggregate
countArgMinOrNullIf 2 3 aggregate
countArray 0 1 aggregate
countArrayIf 1 2 aggregate
countArrayOrDefault 0 1 aggregate
countArrayOrDefaultIf 1 2 aggregate
countArrayOrNull 0 1 aggregate
countArrayOrNullIf 1 2 aggregate
countDistinct 1 1 aggregate
countDistinctArgMax 2 2 aggregate
countDistinctArgMaxIf 3 3 aggregate
countDistinctArgMaxOrDefault 2 2 aggregate
countDistinctArgMaxOrDefaultIf 3 3 aggregate
countDistinctArgMaxOrNull 2 2 aggregate
countDistinctArgMaxOrNullIf 3 3 aggregate
countDistinctArgMin 2 2 aggregate
countDistinctArgMinIf 3 3 aggregate
countDistinctArgMinOrDefault 2 2 aggregate
countDistinctArgMinOrDefaultIf 3 3 aggregate
countDistinctArgMinOrNull 2 2 aggregate
countDistinctArgMinOrNullIf 3 3 aggregate
countDistinctArray 1 1 aggregate
countDistinctArrayIf 2 2 aggregate
countDistinctArrayOrDefault 1 1 aggregate
countDistinctArrayOrDefaultIf 2 2 aggregate
countDistinctArrayOrNull 1 1 aggregate
countDistinctArrayOrNullIf 2 2 aggregate
countDistinctForEach 1 1 aggregate
countDistinctForEachIf 2 2 aggregate
countDistinctForEachOrDefault 1 1 aggregate
countDistinctForEachOrDefaultIf 2 2 aggregate
countDistinctForEachOrNull 1 1 aggregate
countDistinctForEachOrNullIf 2 2 aggregate
countDistinctIf 1 2 aggregate
countDistinctMap 1 1 aggregate
countDistinctMapIf 2 2 aggregate
countDistinctMapOrDefault 1 1 aggregate
countDistinctMapOrDefaultIf 2 2 aggregate
countDistinctMapOrNull 1 1 aggregate
countDistinctMapOrNullIf 2 2 aggregate
countDistinctMerge 1 1 aggregate
countDistinctMergeIf 2 2 aggregate
countDistinctMergeOrDefault 1 1 aggregate
countDistinctMergeOrDefaultIf 2 2 aggregate
countDistinctMergeOrNull 1 1 aggregate
countDistinctMergeOrNullIf 2 2 aggregate
countDistinctOrDefault 1 1 aggregate
countDistinctOrDefaultIf 2 2 aggregate
countDistinctOrNull 1 1 aggregate
countDistinctOrNullIf 2 2 aggregate
countDistinctState 1 1 aggregate
countDistinctStateIf 2 2 aggregate
countDistinctStateOrDefault 1 1 aggregate
countDistinctStateOrDefaultIf 2 2 aggregate
countDistinctStateOrNull 1 1 aggregate
countDistinctStateOrNullIf 2 2 aggregate
countEqual 2 2
countForEach 0 1 aggregate
countForEachIf 1 2 aggregate
countForEachOrDefault 0 1 aggregate
countForEachOrDefaultIf 1 2 aggregate
countForEachOrNull 0 1 aggregate
countForEachOrNullIf 1 2 aggregate
countIf 1 2 aggregate
countMap 0 1 aggregate
countMapIf 2 3 aggregate
countMapOrDefault 0 1 aggregate
countMapOrDefaultIf 1 2 aggregate
countMapOrNull 0 1 aggregate
countMapOrNullIf 1 2 aggregate
countMatches 2 2
countMatchesCaseInsensitive 2 2
countMerge 1 1 aggregate
countMergeIf 1 2 aggregate
countMergeOrDefault 0 1 aggregate
countMergeOrDefaultIf 1 2 aggregate
countMergeOrNull 0 1 aggregate
countMergeOrNullIf 1 2 aggregate
countOrDefault 0 1 aggregate
countOrDefaultIf 1 2 aggregate
countOrNull 0 1 aggregate
countOrNullIf 1 2 aggregate
countState 0 1 aggregate
countStateIf 1 2 aggregate
countStateOrDefault 0 1 aggregate
countStateOrDefaultIf 1 2 aggregate
countStateOrNull 0 1 aggregate
countStateOrNullIf 1 2 aggregate
countSubstrings 2 3
countSubstringsCaseInsensitive 2 3
countSubstringsCaseInsensitiveUTF8 2 3
covarPop 2 2 aggregate
covarPopIf 3 3 aggregate
covarSamp 2 2 aggregate
covarSampIf 3 3 aggregate
cramersV 2 2 aggregate
cramersVBiasCorrected 2 2 aggregate
cramersVBiasCorrectedIf 3 3 aggregate
cramersVIf 3 3 aggregate
current_date 0 0
current_timestamp 0 0
cutFragment 1 1
cutIPv6 3 3
cutQueryString 1 1
cutQueryStringAndFragment 1 1
cutToFirstSignificantSubdomain 1 1
cutToFirstSignificantSubdomainWithWWW 1 1
cutURLParameter 2 2
cutWWW 1 1
date_add 2 2
date_bin 3 3
date_diff 3 3
date_part 2 2
date_subtract 2 2
date_trunc 2 3
dateAdd 2 3
dateDiff 3 3
dateName 2 2
dateSub 2 3
dateTrunc 2 3
decodeURLComponent 1 1
decodeURLFormComponent 1 1
decodeXMLComponent 1 1
defaultValueOfTypeName 1 1
degrees 1 1 any-case
deltaSum 1 1 aggregate
deltaSumIf 2 2 aggregate
deltaSumTimestamp 2 2 aggregate
deltaSumTimestampIf 3 3 aggregate
dense_rank 0 0
divide 2 2
divideDecimal 2 3
domain 1 1
domainWithoutWWW 1 1
dotProduct 2 2
dynamicType 1 1
e 0 0
embedText 1 2
empty 1 1
encodeURLComponent 1 1
encodeURLFormComponent 1 1
encodeXMLComponent 1 1
endsWith 2 2
equals 2 2
erf 1 1
erfc 1 1
every 1 1 aggregate
exp 1 1 any-case
exp10 1 1
exp2 1 1
explainCSPReport 1 1
extract 2 2 any-case
extractAll 2 2
extractAllGroups 2 2
extractAllGroupsHorizontal 2 2
extractAllGroupsVertical 2 2
extractGroups 2 2
extractIPv4Substrings 1 1
extractTextFromHTML 1 1
extractURLParameter 2 2
extractURLParameterNames 1 1
extractURLParameters 1 1
factorial 1 1 any-case
first_value 1 1
firstSignificantSubdomain 1 1
floor 1 2 any-case
format 2 *
formatDateTime 2 3
formatReadableDecimalSize 1 1
formatReadableQuantity 1 1
formatReadableSize 1 1
formatReadableTimeDelta 1 2
fragment 1 1
fromModifiedJulianDay 1 1
fromUnixTimestamp 1 1
fromUnixTimestamp64Milli 1 1
gcd 2 2
generateSeries 3 3
geoDistance 0 *
geohashDecode 0 *
geohashEncode 0 *
geohashesInBox 0 *
geoToH3 0 *
getBotName 1 1
getBotOperator 1 1
getBotType 1 1
getSurveyResponse 1 3
getTrafficCategory 1 1
getTrafficType 1 1
greatCircleAngle 0 *
greatCircleDistance 0 *
greater 2 2
greaterOrEquals 2 2
greatest 2 2 any-case
groupArray 1 1 aggregate
groupArrayIf 2 2 aggregate
groupArrayInsertAt 2 2 aggregate
groupArrayInsertAtIf 3 3 aggregate
groupArrayMovingAvg 1 1 aggregate
groupArrayMovingAvgIf 2 2 aggregate
groupArrayMovingSum 1 1 aggregate
groupArrayMovingSumIf 2 2 aggregate
groupArraySample 1 1 1 2 aggregate
groupArraySampleIf 2 2 1 2 aggregate
groupBitAnd 1 1 aggregate
groupBitAndIf 2 2 aggregate
groupBitmap 1 1 aggregate
groupBitmapAnd 1 1 aggregate
groupBitmapAndIf 2 2 aggregate
groupBitmapAndState 1 1 aggregate
groupBitmapIf 2 2 aggregate
groupBitmapOr 1 1 aggregate
groupBitmapOrIf 2 2 aggregate
groupBitmapOrState 1 1 aggregate
groupBitmapState 1 1 aggregate
groupBitmapXor 1 1 aggregate
groupBitmapXorIf 2 2 aggregate
groupBitOr 1 1 aggregate
groupBitOrIf 2 2 aggregate
groupBitXor 1 1 aggregate
groupBitXorIf 2 2 aggregate
groupUniqArray 1 1 aggregate
groupUniqArrayArray 1 1 0 1 aggregate
groupUniqArrayArrayIf 2 2 0 1 aggregate
groupUniqArrayIf 2 2 aggregate
h3CellAreaM2 0 *
h3CellAreaRads2 0 *
h3Distance 0 *
h3EdgeAngle 0 *
h3EdgeLengthKm 0 *
h3EdgeLengthM 0 *
h3ExactEdgeLengthKm 0 *
h3ExactEdgeLengthM 0 *
h3ExactEdgeLengthRads 0 *
h3GetBaseCell 0 *
h3GetDestinationIndexFromUnidirectionalEdge 0 *
h3GetFaces 0 *
h3GetIndexesFromUnidirectionalEdge 0 *
h3GetOriginIndexFromUnidirectionalEdge 0 *
h3GetPentagonIndexes 0 *
h3GetRes0Indexes 0 *
h3GetResolution 0 *
h3GetUnidirectionalEdge 0 *
h3GetUnidirectionalEdgeBoundary 0 *
h3GetUnidirectionalEdgesFromHexagon 0 *
h3HexAreaKm2 0 *
h3HexAreaM2 0 *
h3HexRing 0 *
h3IndexesAreNeighbors 0 *
h3IsPentagon 0 *
h3IsResClassIII 0 *
h3IsValid 0 *
h3kRing 0 *
h3Line 0 *
h3NumHexagons 0 *
h3PointDistKm 0 *
h3PointDistM 0 *
h3PointDistRads 0 *
h3ToCenterChild 0 *
h3ToChildren 0 *
h3ToGeo 0 *
h3ToGeoBoundary 0 *
h3ToParent 0 *
h3ToString 0 *
h3UnidirectionalEdgeIsValid 0 *
has 2 2
hasAll 2 2
hasAllTokens 2 2
hasAny 2 2
hasAnyTokens 2 2
hasSubsequence 2 2
hasSubsequenceCaseInsensitive 2 2
hasSubsequenceCaseInsensitiveUTF8 2 2
hasSubsequenceUTF8 2 2
hasSubstr 2 2
hasToken 2 2
hasTokenCaseInsensitive 2 2
hasTokenCaseInsensitiveOrNull 2 2
hasTokenOrNull 2 2
hex 1 1
hop 3 3
hopEnd 1 3
hopStart 1 3
hypot 2 2
if 3 3 any-case
ifNotFinite 1 1
ifnull 2 2 any-case
ilike 2 2
in 2 2
indexHint 1 1
indexOf 2 2
initcap 1 1
intDiv 2 2
intDivOrZero 2 2
intExp10 1 1
intExp2 1 1
IPv4CIDRToRange 2 2
IPv4NumToString 1 1
IPv4StringToNum 1 1
IPv4StringToNumOrDefault 1 2
IPv4StringToNumOrNull 1 1
IPv4ToIPv6 1 1
IPv6CIDRToRange 2 2
IPv6NumToString 1 1
IPv6StringToNum 1 1
IPv6StringToNumOrDefault 1 2
IPv6StringToNumOrNull 1 1
isEmpty 1 1
isFinite 1 1
isInfinite 1 1
isIPAddressInRange 2 2
isIPv4String 1 1
isIPv6String 1 1
isLikelyBot 1 1
isNaN 1 1
isNotEmpty 1 1
isNotNull 1 1
isnull 1 1 any-case
isValidJSON 1 1
isValidUTF8 1 1
jev 0 *
json_agg 1 1 aggregate
JSON_VALUE 2 *
JSONArrayLength 1 *
JSONExtract 2 *
JSONExtractArrayRaw 1 *
JSONExtractBool 1 *
JSONExtractFloat 1 *
JSONExtractInt 1 *
JSONExtractKey 1 *
JSONExtractKeys 1 *
JSONExtractKeysAndValues 1 3
JSONExtractKeysAndValuesRaw 1 *
JSONExtractRaw 1 *
JSONExtractString 1 *
JSONExtractUInt 1 *
JSONHas 1 *
JSONLength 1 *
JSONType 1 *
kurtPop 1 1 aggregate
kurtPopIf 2 2 aggregate
kurtSamp 1 1 aggregate
kurtSampIf 2 2 aggregate
L1Distance 2 2
L1Norm 1 1
L1Normalize 1 1
L2Distance 2 2
L2Norm 1 1
L2Normalize 1 1
lag 1 3
lagInFrame 1 3
languageCodeToName 1 1
last_value 1 1
lcm 2 2
lead 1 3
leadInFrame 1 3
least 2 2 any-case
left 2 2
leftPad 2 3
leftPadUTF8 2 3
length 1 1 any-case
lengthUTF8 1 1
less 2 2
lessOrEquals 2 2
lgamma 1 1
like 2 2
LinfDistance 2 2
LinfNorm 1 1
LinfNormalize 1 1
ln 1 1 any-case
locate 2 3
log 1 1 any-case
log10 1 1 any-case
log1p 1 1
log2 1 1 any-case
lookupDomainType 1 1
lookupOrganicMediumType 1 1
lookupOrganicSourceType 1 1
lookupPaidMediumType 1 1
lookupPaidSourceType 1 1
lower 1 1 any-case
lowerUTF8 1 1
lpad 3 3
LpDistance 3 3
LpNorm 2 2
LpNormalize 2 2
ltrim 1 2
make_date 3 3
make_interval 6 6
make_timestamp 6 7
make_timestamptz 7 7
map 0 *
mapAdd 2 *
mapApply 2 2
mapContains 2 2
mapContainsKeyLike 2 2
mapExists 2 2
mapExtractKeyLike 2 2
mapFilter 2 2
mapFromArrays 2 2
mapKeys 1 1
mapPopulateSeries 1 3
mapSubtract 2 *
mapUpdate 2 2
mapValues 1 1
match 2 2
matchesAction 1 1
max 1 1 aggregate any-case
max2 2 2 any-case
maxArgMax 2 2 aggregate
maxArgMaxIf 3 3 aggregate
maxArgMaxOrDefault 2 2 aggregate
maxArgMaxOrDefaultIf 3 3 aggregate
maxArgMaxOrNull 2 2 aggregate
maxArgMaxOrNullIf 3 3 aggregate
maxArgMin 2 2 aggregate
maxArgMinIf 3 3 aggregate
maxArgMinOrDefault 2 2 aggregate
maxArgMinOrDefaultIf 3 3 aggregate
maxArgMinOrNull 2 2 aggregate
maxArgMinOrNullIf 3 3 aggregate
maxArray 1 1 aggregate
maxArrayIf 2 2 aggregate
maxArrayOrDefault 1 1 aggregate
maxArrayOrDefaultIf 2 2 aggregate
maxArrayOrNull 1 1 aggregate
maxArrayOrNullIf 2 2 aggregate
maxForEach 1 1 aggregate
maxForEachIf 2 2 aggregate
maxForEachOrDefault 1 1 aggregate
maxForEachOrDefaultIf 2 2 aggregate
maxForEachOrNull 1 1 aggregate
maxForEachOrNullIf 2 2 aggregate
maxIf 2 2 aggregate
maxIntersections 2 2 aggregate
maxIntersectionsIf 3 3 aggregate
maxIntersectionsPosition 2 2 aggregate
maxIntersectionsPositionIf 3 3 aggregate
maxMap 1 2 aggregate
maxMapIf 2 3 aggregate
maxMapOrDefault 1 1 aggregate
maxMapOrDefaultIf 2 2 aggregate
maxMapOrNull 1 1 aggregate
maxMapOrNullIf 2 2 aggregate
maxMerge 1 1 aggregate
maxMergeIf 2 2 aggregate
maxMergeOrDefault 1 1 aggregate
maxMergeOrDefaultIf 2 2 aggregate
maxMergeOrNull 1 1 aggregate
maxMergeOrNullIf 2 2 aggregate
maxOrDefault 1 1 aggregate
maxOrDefaultIf 2 2 aggregate
maxOrNull 1 1 aggregate
maxOrNullIf 2 2 aggregate
maxState 1 1 aggregate
maxStateIf 2 2 aggregate
maxStateOrDefault 1 1 aggregate
maxStateOrDefaultIf 2 2 aggregate
maxStateOrNull 1 1 aggregate
maxStateOrNullIf 2 2 aggregate
MD5 1 1
md5 1 1 aggregate
median 1 1 aggregate
medianArgMax 2 2 aggregate
medianArgMaxIf 3 3 aggregate
medianArgMaxOrDefault 2 2 aggregate
medianArgMaxOrDefaultIf 3 3 aggregate
medianArgMaxOrNull 2 2 aggregate
medianArgMaxOrNullIf 3 3 aggregate
medianArgMin 2 2 aggregate
medianArgMinIf 3 3 aggregate
medianArgMinOrDefault 2 2 aggregate
medianArgMinOrDefaultIf 3 3 aggregate
medianArgMinOrNull 2 2 aggregate
medianArgMinOrNullIf 3 3 aggregate
medianArray 1 1 aggregate
medianArrayIf 2 2 aggregate
medianArrayOrDefault 1 1 aggregate
medianArrayOrDefaultIf 2 2 aggregate
medianArrayOrNull 1 1 aggregate
medianArrayOrNullIf 2 2 aggregate
medianBFloat16 1 1 aggregate
medianBFloat16If 2 2 aggregate
medianDeterministic 2 2 aggregate
medianDeterministicIf 3 3 aggregate
medianExact 1 1 aggregate
medianExactHigh 1 1 aggregate
medianExactHighIf 2 2 aggregate
medianExactIf 2 2 aggregate
medianExactLow 1 1 aggregate
medianExactLowIf 2 2 aggregate
medianExactWeighted 2 2 aggregate
medianExactWeightedIf 3 3 aggregate
medianForEach 1 1 aggregate
medianForEachIf 2 2 aggregate
medianForEachOrDefault 1 1 aggregate
medianForEachOrDefaultIf 2 2 aggregate
medianForEachOrNull 1 1 aggregate
medianForEachOrNullIf 2 2 aggregate
medianIf 2 2 aggregate
medianMap 1 1 aggregate
medianMapIf 2 2 aggregate
medianMapOrDefault 1 1 aggregate
medianMapOrDefaultIf 2 2 aggregate
medianMapOrNull 1 1 aggregate
medianMapOrNullIf 2 2 aggregate
medianMerge 1 1 aggregate
medianMergeIf 2 2 aggregate
medianMergeOrDefault 1 1 aggregate
medianMergeOrDefaultIf 2 2 aggregate
medianMergeOrNull 1 1 aggregate
medianMergeOrNullIf 2 2 aggregate
medianOrDefault 1 1 aggregate
medianOrDefaultIf 2 2 aggregate
medianOrNull 1 1 aggregate
medianOrNullIf 2 2 aggregate
medianState 1 1 aggregate
medianStateIf 2 2 aggregate
medianStateOrDefault 1 1 aggregate
medianStateOrDefaultIf 2 2 aggregate
medianStateOrNull 1 1 aggregate
medianStateOrNullIf 2 2 aggregate
medianTDigest 1 1 aggregate
medianTDigestIf 2 2 aggregate
medianTDigestWeighted 2 2 aggregate
medianTDigestWeightedIf 3 3 aggregate
medianTiming 1 1 aggregate
medianTimingIf 2 2 aggregate
medianTimingWeighted 2 2 aggregate
medianTimingWeightedIf 3 3 aggregate
min 1 1 aggregate any-case
min2 2 2 any-case
minArgMax 2 2 aggregate
minArgMaxIf 3 3 aggregate
minArgMaxOrDefault 2 2 aggregate
minArgMaxOrDefaultIf 3 3 aggregate
minArgMaxOrNull 2 2 aggregate
minArgMaxOrNullIf 3 3 aggregate
minArgMin 2 2 aggregate
minArgMinIf 3 3 aggregate
minArgMinOrDefault 2 2 aggregate
minArgMinOrDefaultIf 3 3 aggregate
minArgMinOrNull 2 2 aggregate
minArgMinOrNullIf 3 3 aggregate
minArray 1 1 aggregate
minArrayIf 2 2 aggregate
minArrayOrDefault 1 1 aggregate
minArrayOrDefaultIf 2 2 aggregate
minArrayOrNull 1 1 aggregate
minArrayOrNullIf 2 2 aggregate
minForEach 1 1 aggregate
minForEachIf 2 2 aggregate
minForEachOrDefault 1 1 aggregate
minForEachOrDefaultIf 2 2 aggregate
minForEachOrNull 1 1 aggregate
minForEachOrNullIf 2 2 aggregate
minIf 2 2 aggregate
minMap 1 2 aggregate
minMapIf 2 3 aggregate
minMapOrDefault 1 1 aggregate
minMapOrDefaultIf 2 2 aggregate
minMapOrNull 1 1 aggregate
minMapOrNullIf 2 2 aggregate
minMerge 1 1 aggregate
minMergeIf 2 2 aggregate
minMergeOrDefault 1 1 aggregate
minMergeOrDefaultIf 2 2 aggregate
minMergeOrNull 1 1 aggregate
minMergeOrNullIf 2 2 aggregate
minOrDefault 1 1 aggregate
minOrDefaultIf 2 2 aggregate
minOrNull 1 1 aggregate
minOrNullIf 2 2 aggregate
minState 1 1 aggregate
minStateIf 2 2 aggregate
minStateOrDefault 1 1 aggregate
minStateOrDefaultIf 2 2 aggregate
minStateOrNull 1 1 aggregate
minStateOrNullIf 2 2 aggregate
minus 2 2
modulo 2 2
moduloOrZero 2 2
monthName 1 1
multiFuzzyMatchAllIndices 3 3
multiFuzzyMatchAny 3 3
multiFuzzyMatchAnyIndex 3 3
multiIf 3 *
multiMatchAllIndices 2 2
multiMatchAny 2 2
multiMatchAnyIndex 2 2
multiply 2 2
multiplyDecimal 2 3
multiSearchAllPositions 2 2
multiSearchAllPositionsCaseInsensitive 2 2
multiSearchAllPositionsCaseInsensitiveUTF8 2 2
multiSearchAllPositionsUTF8 2 2
multiSearchAny 2 2
multiSearchAnyCaseInsensitive 2 2
multiSearchAnyCaseInsensitiveUTF8 2 2
multiSearchAnyUTF8 2 2
multiSearchFirstIndex 2 2
multiSearchFirstIndexCaseInsensitive 2 2
multiSearchFirstIndexCaseInsensitiveUTF8 2 2
multiSearchFirstIndexUTF8 2 2
multiSearchFirstPosition 2 2
multiSearchFirstPositionCaseInsensitive 2 2
multiSearchFirstPositionCaseInsensitiveUTF8 2 2
multiSearchFirstPositionUTF8 2 2
negate 1 1
netloc 1 1
ngramDistance 2 2
ngramDistanceCaseInsensitive 2 2
ngramDistanceCaseInsensitiveUTF8 2 2
ngramDistanceUTF8 2 2
ngrams 2 2
ngramSearch 2 2
ngramSearchCaseInsensitive 2 2
ngramSearchCaseInsensitiveUTF8 2 2
ngramSearchUTF8 2 2
not 1 1 any-case
notEmpty 1 1
notEquals 2 2
notILike 2 2
notIn 2 2
notLike 2 2
now 0 1 any-case
nowInBlock 1 1
nth_value 2 2
nullif 2 2 any-case
or 2 *
parseDateTime 2 3
parseDateTimeBestEffort 1 2
path 1 1
pathFull 1 1
percentile_cont 0 0 1 1 aggregate
percentile_disc 0 0 1 1 aggregate
pi 0 0
plus 2 2
pointInEllipses 0 *
pointInPolygon 0 *
port 1 2
position 2 3 any-case
positionCaseInsensitive 2 3
positionCaseInsensitiveUTF8 2 3
positionUTF8 2 3
positiveModulo 2 2
pow 2 2 any-case
power 2 2 any-case
protocol 1 1
quantile 1 1 1 1 aggregate
quantileExact 1 1 1 1 aggregate
quantileIf 2 2 1 1 aggregate
quantiles 1 * aggregate
quantilesIf 2 2 1 1 aggregate
quantilesMerge 1 1 1 * aggregate
quantilesMergeIf 2 2 1 * aggregate
quantilesState 1 1 1 * aggregate
quantilesStateIf 2 2 1 * aggregate
queryString 1 1
queryStringAndFragment 1 1
radians 1 1 any-case
rand 0 0
range 1 3
rank 0 0
recordingButton 1 2
regexpExtract 2 3
regexpQuoteMeta 1 1
reinterpretAsFloat32 1 1
reinterpretAsFloat64 1 1
reinterpretAsInt128 1 1
reinterpretAsInt16 1 1
reinterpretAsInt256 1 1
reinterpretAsInt32 1 1
reinterpretAsInt64 1 1
reinterpretAsInt8 1 1
reinterpretAsUInt128 1 1
reinterpretAsUInt16 1 1
reinterpretAsUInt256 1 1
reinterpretAsUInt32 1 1
reinterpretAsUInt64 1 1
reinterpretAsUInt8 1 1
reinterpretAsUUID 1 1
repeat 2 2
replace 3 3 any-case
replaceAll 3 3
replaceOne 3 3
replaceRegexpAll 3 3
replaceRegexpOne 3 3
reverse 1 1 any-case
reverseUTF8 1 1
right 2 2
rightPad 2 3
rightPadUTF8 2 3
round 1 2 any-case
roundAge 1 1
roundBankers 1 2
roundDown 2 2
roundDuration 1 1
roundToExp2 1 1
row_number 0 0
rowNumberInAllBlocks 0 0
rowNumberInBlock 0 0
rpad 3 3
rtrim 1 2
sign 1 1 any-case
simpleLinearRegression 2 2 aggregate
simpleLinearRegressionIf 3 3 aggregate
sin 1 1 any-case
sinh 1 1
skewPop 1 1 aggregate
skewPopIf 2 2 aggregate
skewSamp 1 1 aggregate
skewSampIf 2 2 aggregate
sortablesemver 1 1 any-case
sparkline 1 1
split_part 3 3
splitByChar 2 3
splitByNonAlpha 1 2
splitByRegexp 2 3
splitByString 2 3
splitByWhitespace 1 2
sqrt 1 1 any-case
startsWith 2 2
stddevPop 1 1 aggregate
stddevPopIf 2 2 aggregate
stddevSamp 1 1 aggregate
stddevSampIf 2 2 aggregate
string_agg 2 2 aggregate
stringToH3 0 *
subBitmap 3 3
substring 3 3 any-case
substringUTF8 3 3
subtractDays 2 2
subtractHours 2 2
subtractMinutes 2 2
subtractMonths 2 2
subtractQuarters 2 2
subtractSeconds 2 2
subtractWeeks 2 2
subtractYears 2 2
sum 1 1 aggregate any-case
sumArgMax 2 2 aggregate
sumArgMaxIf 3 3 aggregate
sumArgMaxOrDefault 2 2 aggregate
sumArgMaxOrDefaultIf 3 3 aggregate
sumArgMaxOrNull 2 2 aggregate
sumArgMaxOrNullIf 3 3 aggregate
sumArgMin 2 2 aggregate
sumArgMinIf 3 3 aggregate
sumArgMinOrDefault 2 2 aggregate
sumArgMinOrDefaultIf 3 3 aggregate
sumArgMinOrNull 2 2 aggregate
sumArgMinOrNullIf 3 3 aggregate
sumArray 1 1 aggregate
sumArrayIf 2 2 aggregate
sumArrayOrDefault 1 1 aggregate
sumArrayOrDefaultIf 2 2 aggregate
sumArrayOrNull 1 1 aggregate
sumArrayOrNullIf 2 2 aggregate
sumForEach 1 1 aggregate
sumForEachIf 2 2 aggregate
sumForEachMerge 1 1 aggregate
sumForEachOrDefault 1 1 aggregate
sumForEachOrDefaultIf 2 2 aggregate
sumForEachOrNull 1 1 aggregate
sumForEachOrNullIf 2 2 aggregate
sumForEachState 1 1 aggregate
sumIf 2 2 aggregate
sumMap 1 2 aggregate
sumMapIf 2 3 aggregate
sumMapMerge 1 1 aggregate
sumMapMergeIf 2 2 aggregate
sumMapOrDefault 1 1 aggregate
sumMapOrDefaultIf 2 2 aggregate
sumMapOrNull 1 1 aggregate
sumMapOrNullIf 2 2 aggregate
sumMerge 1 1 aggregate
sumMergeIf 2 2 aggregate
sumMergeOrDefault 1 1 aggregate
sumMergeOrDefaultIf 2 2 aggregate
sumMergeOrNull 1 1 aggregate
sumMergeOrNullIf 2 2 aggregate
sumOrDefault 1 1 aggregate
sumOrDefaultIf 2 2 aggregate
sumOrNull 1 1 aggregate
sumOrNullIf 2 2 aggregate
sumState 1 1 aggregate
sumStateIf 2 2 aggregate
sumStateOrDefault 1 1 aggregate
sumStateOrDefaultIf 2 2 aggregate
sumStateOrNull 1 1 aggregate
sumStateOrNullIf 2 2 aggregate
sumWithOverflow 1 1 aggregate
sumWithOverflowIf 2 2 aggregate
tan 1 1 any-case
tgamma 1 1
theilsU 2 2 aggregate
theilsUIf 3 3 aggregate
throwIf 1 2
timeSlot 1 1
timeSlots 2 3
timeStampAdd 2 2
timeStampSub 2 2
timezone 2 2
timeZoneOf 1 1
timeZoneOffset 1 1
to_char 2 3
to_date 1 1
to_timestamp 1 2
toBool 1 1
toDate 1 1
toDateTime 1 2
toDateTime64 1 3
toDateTimeUS 1 2
today 0 0
toDayOfMonth 1 1
toDayOfWeek 1 3
toDayOfYear 1 1
toDecimal 2 2
toFloat 1 1
toFloat64OrNull 1 2
toFloatOrDefault 1 2
toFloatOrNull 1 2
toFloatOrZero 1 1
toHour 1 1
toInt 1 1
toIntervalDay 1 1
toIntervalHour 1 1
toIntervalMinute 1 1
toIntervalMonth 1 1
toIntervalQuarter 1 1
toIntervalSecond 1 1
toIntervalWeek 1 1
toIntervalYear 1 1
toIntOrDefault 1 2
toIntOrZero 1 1
toIPv4 1 1
toIPv4OrDefault 1 2
toIPv4OrNull 1 1
toIPv4OrZero 1 1
toIPv6 1 1
toIPv6OrDefault 1 2
toIPv6OrNull 1 1
toIPv6OrZero 1 1
toISOWeek 1 1
toISOYear 1 1
toJSONString 1 1
tokens 1 1
toLastDayOfMonth 1 1
toLastDayOfWeek 1 2
toMinute 1 1
toModifiedJulianDay 1 1
toMonday 1 1
toMonth 1 1
toNullable 1 1
toNullableString 1 1
topK 1 1 1 1 aggregate
topLevelDomain 1 1
toQuarter 1 1
toSecond 1 1
toStartOfDay 1 2
toStartOfFifteenMinutes 1 1
toStartOfFiveMinutes 1 1
toStartOfHour 1 1
toStartOfInterval 2 3
toStartOfISOYear 1 1
toStartOfMinute 1 1
toStartOfMonth 1 1
toStartOfQuarter 1 1
toStartOfSecond 1 1
toStartOfTenMinutes 1 1
toStartOfWeek 1 2
toStartOfYear 1 1
toString 1 2
toTime 1 1
toTimeZone 1 2
toTypeName 1 1
toUnixTimestamp 1 2
toUnixTimestamp64Milli 1 1
toUUID 1 1
toUUIDOrDefault 2 2
toValidUTF8 1 1
toWeek 1 3
toYear 1 1
toYearWeek 1 3
toYYYYMM 1 1
toYYYYMMDD 1 1
toYYYYMMDDhhmmss 1 1
transform 3 4
translate 3 3
translateUTF8 3 3
trim 1 2 any-case
trimLeft 1 2
trimRight 1 2
trunc 1 2 any-case
tryBase58Decode 1 1
tryBase64Decode 1 1
tumble 2 2
tumbleEnd 1 3
tumbleStart 1 3
tuple 0 *
tupleDivide 2 2
tupleDivideByNumber 2 2
tupleElement 2 3
tupleHammingDistance 2 2
tupleMinus 2 2
tupleMultiply 2 2
tupleMultiplyByNumber 2 2
tupleNegate 1 1
tuplePlus 2 2
tupleToNameValuePairs 1 1
unhex 1 1
uniq 1 * aggregate
uniqCombined 1 1 aggregate
uniqCombined64 1 1 aggregate
uniqExact 1 * aggregate
uniqExactIf 2 * aggregate
uniqExactMerge 1 * aggregate
uniqExactState 1 * aggregate
uniqHLL12 1 * aggregate
uniqHLL12If 2 * aggregate
uniqIf 2 * aggregate
uniqMap 1 1 aggregate
uniqMapMerge 1 1 aggregate
uniqMapMergeIf 2 2 aggregate
uniqMerge 1 1 aggregate
uniqMergeIf 2 2 aggregate
uniqState 1 1 aggregate
uniqStateIf 2 2 aggregate
uniqTheta 1 * aggregate
uniqThetaIf 2 * aggregate
uniqueSurveySubmissionsFilter 1 3
uniqUpToMerge 1 1 1 1 aggregate
untuple 1 1
upper 1 1 any-case
upperUTF8 1 1
URLHierarchy 1 1
URLPathHierarchy 1 1
UUIDv7ToDateTime 1 2
varPop 1 1 aggregate
varPopIf 2 2 aggregate
varSamp 1 1 aggregate
varSampIf 2 2 aggregate
width_bucket 4 4
windowFunnel 1 99 aggregate
xor 2 *
yesterday 0 0
`;
