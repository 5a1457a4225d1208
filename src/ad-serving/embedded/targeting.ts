import { localHour } from '../../domain/calendar/local-hour.ts'
import { keywordTest } from '../../domain/keyword-match.ts'
import type { LineTargeting } from './line.ts'
import type { Visitor } from './visitor.ts'

/** Whether a visit at a moment (milliseconds) is one that a line is targeted to. */
export type Matches = (visitor: Visitor, now: number) => boolean

/**
 * Turns the targeting of a line into one test. A dimension that the visit says nothing about matches no inclusion and every exclusion: what a
 * buyer asked for is never guessed.
 */
export function compileTargeting(targeting: LineTargeting, timeZone: string): Matches {
  const tests: Matches[] = [
    ...oneOf(targeting.geo_countries, ({ country }) => country),
    ...noneOf(targeting.geo_countries_exclude, ({ country }) => country),
    ...oneOf(targeting.geo_regions, ({ region }) => region),
    ...noneOf(targeting.geo_regions_exclude, ({ region }) => region),
    ...oneOf(targeting.device_type, ({ deviceType }) => deviceType),
    ...noneOf(targeting.device_type_exclude, ({ deviceType }) => deviceType),
    ...oneOf(targeting.device_platform, ({ devicePlatform }) => devicePlatform),
    ...oneOf(targeting.browsers, ({ browser }) => browser),
    ...oneOf(
      targeting.language?.map((language) => language.toLowerCase()),
      ({ language }) => language,
    ),
    ...audienceTests(targeting),
    ...keywordTests(targeting),
    ...Object.entries(targeting.keyValues ?? {}).map(([key, wanted]): Matches => {
      const values = new Set(wanted)
      return ({ keyValues }) => keyValues.get(key)?.some((value) => values.has(value)) ?? false
    }),
    ...daypartTests(targeting, timeZone),
  ]
  return (visitor, now) => tests.every((test) => test(visitor, now))
}

type Reads = (visitor: Visitor) => string | undefined

function oneOf(wanted: readonly string[] | undefined, read: Reads): Matches[] {
  if (wanted === undefined) return []
  const values = new Set(wanted)
  return [(visitor) => values.has(read(visitor) ?? '')]
}

function noneOf(unwanted: readonly string[] | undefined, read: Reads): Matches[] {
  if (unwanted === undefined) return []
  const values = new Set(unwanted)
  return [(visitor) => !values.has(read(visitor) ?? '')]
}

function audienceTests({ audience_include: include, audience_exclude: exclude }: LineTargeting): Matches[] {
  const [wanted, unwanted] = [new Set(include), new Set(exclude)]
  return [
    ...(include ? [({ audiences }: Visitor) => audiences.some((id) => wanted.has(id))] : []),
    ...(exclude ? [({ audiences }: Visitor) => !audiences.some((id) => unwanted.has(id))] : []),
  ]
}

function keywordTests({ keyword_targets: wanted, negative_keywords: unwanted }: LineTargeting): Matches[] {
  const [include, exclude] = [wanted && keywordTest(wanted), unwanted && keywordTest(unwanted)]
  return [
    ...(include ? [({ keywords }: Visitor) => include(keywords)] : []),
    ...(exclude ? [({ keywords }: Visitor) => !exclude(keywords)] : []),
  ]
}

/** Hours are those of the publisher's time zone (AdCP core/daypart-target.json leaves the zone to the seller). */
function daypartTests({ daypart_targets: dayparts }: LineTargeting, timeZone: string): Matches[] {
  if (dayparts === undefined) return []
  const hourOf = localHour(timeZone)
  return [
    (_visitor, now) => {
      const { day, hour } = hourOf(now)
      return dayparts.some(
        ({ days, start_hour, end_hour }) => days.some((each) => each === day) && hour >= start_hour && hour < end_hour,
      )
    },
  ]
}
