import { DIRECT_TARGETING, type DirectTargeting } from '../operator/direct-orders/direct-targeting.ts'
import { daypartText, readDaypart } from './daypart-text.ts'
import { linesOf } from './form-text.ts'
import { optionsOf } from './parts/parts.ts'

/** How a member of the targeting of a direct line is entered: codes apart by commas or spaces, texts one a line, or a choice of some. */
export interface TargetingField {
  readonly title: string
  readonly hint?: string
  readonly entry: 'codes' | 'lines' | 'choices' | 'key-values' | 'dayparts' | 'cap'
  readonly letters?: 'upper' | 'lower'
  readonly options?: readonly (readonly [value: string, title: string])[]
}

type DeviceType = NonNullable<DirectTargeting['devices']>[number]
type Platform = NonNullable<DirectTargeting['platforms']>[number]

const DEVICES = optionsOf<DeviceType>({
  desktop: 'Desktop',
  mobile: 'Mobile',
  tablet: 'Tablet',
  ctv: 'Connected TV',
  dooh: 'Screens out of home',
  unknown: 'Unknown',
})

const PLATFORMS = optionsOf<Platform>({
  ios: 'iOS',
  android: 'Android',
  windows: 'Windows',
  macos: 'macOS',
  linux: 'Linux',
  chromeos: 'ChromeOS',
  tvos: 'tvOS',
  tizen: 'Tizen',
  webos: 'webOS',
  fire_os: 'Fire OS',
  roku_os: 'Roku OS',
  unknown: 'Unknown',
})

/** Units of the window of a frequency cap. */
export const CAP_UNITS = optionsOf<NonNullable<DirectTargeting['frequency_cap']>['window']['unit']>({
  days: 'days',
  hours: 'hours',
  minutes: 'minutes',
  campaign: 'the whole flight',
})

/** Every member that the embedded ad server keeps: one that it declares and that is missing here does not compile. */
const FIELDS: Readonly<Record<keyof DirectTargeting, TargetingField>> = {
  countries: { title: 'Countries', hint: 'ISO codes such as DE, AT. Empty: all.', entry: 'codes', letters: 'upper' },
  countries_exclude: { title: 'Not in the countries', entry: 'codes', letters: 'upper' },
  regions: { title: 'Regions', hint: 'ISO 3166-2, such as DE-BY, US-CA. Empty: all.', entry: 'codes', letters: 'upper' },
  regions_exclude: { title: 'Not in the regions', entry: 'codes', letters: 'upper' },
  languages: { title: 'Languages', hint: 'Two letters, such as de, en. Empty: all.', entry: 'codes', letters: 'lower' },
  browsers: {
    title: 'Browsers',
    hint: 'One a line, such as chrome, firefox or safari. Empty: all.',
    entry: 'lines',
    letters: 'lower',
  },
  devices: { title: 'Devices; none: all', entry: 'choices', options: DEVICES },
  devices_exclude: { title: 'Not on the devices', entry: 'choices', options: DEVICES },
  platforms: { title: 'Operating systems; none: all', entry: 'choices', options: PLATFORMS },
  dayparts: { title: 'Days and hours', hint: 'One a line, such as monday-friday 6-22. Empty: always.', entry: 'dayparts' },
  keywords: { title: 'Keywords', hint: 'One a line; one of them is part of the words of the page.', entry: 'lines' },
  keywords_exclude: { title: 'None of the keywords', hint: 'One a line.', entry: 'lines' },
  audiences: { title: 'Audiences', hint: 'One id a line, as pages say it.', entry: 'lines' },
  audiences_exclude: { title: 'None of the audiences', hint: 'One id a line.', entry: 'lines' },
  key_values: { title: 'Keys and values of pages', hint: 'One a line: section=sport|news', entry: 'key-values' },
  labels: {
    title: 'Labels of competitors',
    hint: 'One a line, such as cars. Of the orders whose lines share a label, a page shows one. A placement shows no line that has one of its labels.',
    entry: 'lines',
  },
  frequency_cap: {
    title: 'Impressions for one visitor',
    hint: 'At most so many in the time below. Empty: not limited.',
    entry: 'cap',
  },
}

/** The fields of the form, those that the embedded ad server declares. */
export const TARGETING_FIELDS: readonly (readonly [member: keyof DirectTargeting, field: TargetingField])[] =
  DIRECT_TARGETING.map((member) => [member, FIELDS[member]])

/** What the form says of a line: texts by the names of their fields, and the values that are ticked. */
export interface LineTexts {
  readonly values: Readonly<Record<string, string>>
  readonly choices: Readonly<Record<string, readonly string[]>>
}

/** What the form says, as the targeting of a direct order; `report` gets the member and what is wrong with it. */
export function targetingOfTexts({ values, choices }: LineTexts, report: (member: string, message: string) => void): object {
  return Object.fromEntries(
    TARGETING_FIELDS.flatMap(([member, { entry, letters }]) => {
      const text = lettersOf(values[member] ?? '', letters)
      const value = READ[entry](text, { ticked: choices[member] ?? [], values, report: (message) => report(member, message) })
      return value === undefined ? [] : [[member, value]]
    }),
  )
}

interface ReadContext {
  readonly ticked: readonly string[]
  readonly values: LineTexts['values']
  report(message: string): void
}

const READ: Readonly<Record<TargetingField['entry'], (text: string, context: ReadContext) => unknown>> = {
  codes: (text) => unlessEmpty(text.split(/[\s,;|]+/).filter((each) => each !== '')),
  lines: (text) => unlessEmpty(linesOf(text)),
  choices: (_text, { ticked }) => unlessEmpty(ticked),
  dayparts: (text, { report }) => unlessEmpty(linesOf(text).flatMap((line) => readDaypart(line, report) ?? [])),
  'key-values'(text, { report }) {
    const pairs = linesOf(text).flatMap((line) => readKeyValues(line, report))
    return pairs.length === 0 ? undefined : Object.fromEntries(pairs)
  },
  cap(text, { values, report }) {
    if (text === '') return undefined
    const unit = values.cap_unit ?? 'days'
    const interval = unit === 'campaign' || values.cap_interval === undefined ? '1' : values.cap_interval
    if (/^\d{1,9}$/.test(text) && /^\d{1,9}$/.test(interval))
      return { max_impressions: Number(text), window: { interval: Number(interval), unit } }
    report(`"${text.slice(0, 80)}" in "${interval.slice(0, 80)}" are no two whole numbers; write such as 3 in 1 days`)
    return undefined
  },
}

function readKeyValues(line: string, report: (message: string) => void): [string, string[]][] {
  const [key = '', ...rest] = line.split('=').map((each) => each.trim())
  const found = rest
    .join('=')
    .split('|')
    .map((each) => each.trim())
  if (key !== '' && !found.includes('')) return [[key, found]]
  report(`"${line.slice(0, 80)}" is not of the form key=value|value`)
  return []
}

/** Whether the form says anything. */
export function hasTargeting({ values, choices }: LineTexts): boolean {
  return TARGETING_FIELDS.some(([member]) => (values[member] ?? '') !== '' || (choices[member] ?? []).length > 0)
}

/** What a form says whose fields begin with `prefix`. */
export function textsInForm(form: URLSearchParams, prefix: string): LineTexts {
  const members = [...TARGETING_FIELDS.map(([member]) => member), 'cap_interval', 'cap_unit']
  const isTicked = (member: string) => TARGETING_FIELDS.some(([name, { entry }]) => name === member && entry === 'choices')
  const written = members
    .filter((member) => !isTicked(member))
    .map((member) => [member, (form.get(prefix + member) ?? '').trim()])
  const ticked = members.filter(isTicked).map((member) => [member, form.getAll(prefix + member)])
  return { values: Object.fromEntries(written), choices: Object.fromEntries(ticked) }
}

/** The targeting of a direct order, as the form says it. */
export function textsOfTargeting(targeting: DirectTargeting): LineTexts {
  const { frequency_cap: cap } = targeting
  const of = (entries: readonly TargetingField['entry'][]) =>
    TARGETING_FIELDS.filter(([member, { entry }]) => targeting[member] !== undefined && entries.includes(entry))
  const texts = of(['codes', 'lines', 'key-values', 'dayparts']).map(([member]) => [member, targetingText(member, targeting)])
  const ticked = of(['choices']).map(([member]) => [member, targeting[member]])
  const capTexts = cap && {
    frequency_cap: String(cap.max_impressions),
    cap_interval: String(cap.window.interval),
    cap_unit: cap.window.unit,
  }
  return { values: { ...Object.fromEntries(texts), ...capTexts }, choices: Object.fromEntries(ticked) }
}

/** One member as a text: of the form, or of a list of changes. */
export function targetingText(member: keyof DirectTargeting, targeting: DirectTargeting): string {
  const { dayparts = [], key_values: keyValues = {}, frequency_cap: cap } = targeting
  switch (member) {
    case 'dayparts':
      return dayparts.map(daypartText).join('\n')
    case 'key_values':
      return Object.entries(keyValues)
        .map(([key, values]) => `${key}=${values.join('|')}`)
        .join('\n')
    case 'frequency_cap': {
      const { interval, unit } = cap?.window ?? { interval: 1, unit: 'campaign' }
      return `${cap?.max_impressions ?? 0} in ${unit === 'campaign' ? 'the whole flight' : `${interval} ${unit}`}`
    }
    default:
      return (targeting[member] ?? []).join(FIELDS[member].entry === 'codes' ? ', ' : '\n')
  }
}

function unlessEmpty<T>(values: readonly T[]): readonly T[] | undefined {
  return values.length === 0 ? undefined : values
}

function lettersOf(text: string, letters: TargetingField['letters']): string {
  if (letters === undefined) return text
  return letters === 'upper' ? text.toUpperCase() : text.toLowerCase()
}
