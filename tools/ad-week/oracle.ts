import type { LineSettings } from '../../src/domain/ad-serving/desired-order.ts'
import type { SoldLine } from './sold-lines.ts'
import { PLACES } from './sold-lines.ts'
import { DAY_MS, type PageRequest } from './traffic.ts'

/** What a line was charged and shown by the reckoning of the oracle. */
export interface Counted {
  /** Impressions by hour of UTC, `2026-03-02T10`. */
  readonly hours: ReadonlyMap<string, number>
  readonly impressions: number
  readonly clicks: number
  readonly viewable: number
}

interface Tally {
  readonly hours: Map<string, number>
  /** Impressions by day of the flight. */
  readonly days: Map<number, number>
  /** Billed units by price. */
  readonly billed: Map<number, number>
  impressions: number
  clicks: number
  viewable: number
  /** Decisions whose impression was not lost. */
  promised: number
  /** The most that the line has ever been sold for, micros. */
  committed: number
}

/** An ad that was decided on. */
export interface Promised {
  readonly line: string
  readonly at: number
  readonly rateMicros: number
  readonly viewer: string | undefined
}

/**
 * Counts the events of the week by itself, with nothing of the ad server but the terms of the lines: what has to be reported, which caps hold, and
 * whether something with less priority was served where more was due.
 */
export class Oracle {
  readonly problems: string[] = []
  readonly #lines: Map<string, LineSettings>
  readonly #tallies = new Map<string, Tally>()
  readonly #shown = new Map<string, number[]>()
  /** Settings that each line had at the start of a day. */
  readonly #dueAtDay = new Map<string, number>()
  decisions = 0

  constructor(lines: readonly SoldLine[]) {
    this.#lines = new Map(lines.map(({ id, settings }) => [id, settings]))
    for (const { id, settings } of lines) {
      const counts = { impressions: 0, clicks: 0, viewable: 0, promised: 0, committed: committedMicros(settings) }
      this.#tallies.set(id, { ...counts, hours: new Map(), days: new Map(), billed: new Map() })
    }
  }

  /** The publisher and the buyer agreed on other terms. */
  change(id: string, settings: LineSettings): void {
    this.#lines.set(id, settings)
    const tally = this.tallyOf(id)
    tally.committed = Math.max(tally.committed, committedMicros(settings))
  }

  /** Called when a day begins: what is due from then on is measured by the terms of that moment. */
  dayBegins(day: number, at: number): void {
    for (const [id, settings] of this.#lines) this.#dueAtDay.set(`${id} ${day}`, this.due(settings, at))
  }

  /** Looks at what a request got: `chosen` is the line, undefined for none. */
  decided(request: PageRequest, chosen: string | undefined): void {
    this.decisions += 1
    const own = chosen === undefined ? undefined : this.#lines.get(chosen)
    if (own && !this.#matches(own, request)) this.#problem(`${chosen} was served where it is not targeted`, request.at)
    if (request.visitor.isBot || own?.priority === 'guaranteed') return
    for (const [id, settings] of this.#lines) {
      if (id === chosen || !this.#matches(settings, request)) continue
      const isAbove = settings.priority === 'guaranteed' || (own !== undefined && worth(settings) > worth(own))
      if (!isAbove || settings.targeting?.frequency_cap || settings.price.model !== 'cpm') continue
      const behind = this.due(settings, request.at) - this.tallyOf(id).promised
      // Ads that were lost a moment ago may be unknown to the ad server.
      const tolerated = Math.max(5, 0.01 * this.due(settings, request.at))
      if (behind > tolerated) this.#problem(`${id} is ${Math.round(behind)} behind and was passed over for ${chosen}`, request.at)
    }
  }

  promised({ line }: Promised): void {
    this.tallyOf(line).promised += 1
  }

  lost({ line }: Promised): void {
    this.tallyOf(line).promised -= 1
  }

  /** An event that has to count; nothing else is given. */
  counted({ line, rateMicros, viewer }: Promised, kind: 'impression' | 'viewable' | 'click', at: number): void {
    const tally = this.tallyOf(line)
    const settings = this.#lines.get(line)
    const billedKind = { cpm: 'impression', vcpm: 'viewable', cpc: 'click' }[String(settings?.price.model)]
    if (kind === billedKind) tally.billed.set(rateMicros, (tally.billed.get(rateMicros) ?? 0) + 1)
    if (kind === 'click') tally.clicks += 1
    if (kind === 'viewable') tally.viewable += 1
    if (kind !== 'impression') return
    tally.impressions += 1
    const hour = new Date(at).toISOString().slice(0, 13)
    tally.hours.set(hour, (tally.hours.get(hour) ?? 0) + 1)
    const day = Math.floor(at / DAY_MS)
    tally.days.set(day, (tally.days.get(day) ?? 0) + 1)
    if (viewer !== undefined && settings?.targeting?.frequency_cap) this.#cap(line, viewer, at, settings.targeting.frequency_cap)
  }

  #cap(
    line: string,
    viewer: string,
    at: number,
    cap: NonNullable<NonNullable<LineSettings['targeting']>['frequency_cap']>,
  ): void {
    const seen = this.#shown.get(`${line} ${viewer}`) ?? []
    this.#shown.set(`${line} ${viewer}`, seen)
    seen.push(at)
    const windowMs = cap.suppress_minutes === undefined ? DAY_MS : cap.suppress_minutes * 60_000
    const most = cap.suppress_minutes === undefined ? (cap.max_impressions ?? 0) : 1
    const within = seen.filter((each) => each > at - windowMs && each <= at).length
    if (within > most) this.#problem(`${viewer} saw ${line} ${within} times in ${windowMs} ms`, at)
  }

  tallyOf(id: string): Tally {
    const tally = this.#tallies.get(id)
    if (!tally) throw new Error(`no line ${id} was sold`)
    return tally
  }

  settingsOf(id: string): LineSettings {
    const settings = this.#lines.get(id)
    if (!settings) throw new Error(`no line ${id} was sold`)
    return settings
  }

  /** Impressions that a line should have at a moment: its pace against the clock. */
  due({ startsAt, endsAt, pacing, goalImpressions }: LineSettings, at: number): number {
    const [start, end] = [Date.parse(startsAt), Date.parse(endsAt)]
    if (goalImpressions === null) return 0
    const elapsed = Math.min(1, Math.max(0, (at - start) / (end - start)))
    if (pacing === 'even') return goalImpressions * elapsed
    return pacing === 'front_loaded' ? goalImpressions * (1 - (1 - elapsed) ** 2) : 0
  }

  /** What a day had to bring, by the terms at its start and at its end. */
  dueOnDay(id: string, day: number): number {
    return (this.#dueAtDay.get(`${id} ${day + 1}`) ?? 0) - (this.#dueAtDay.get(`${id} ${day}`) ?? 0)
  }

  /** What the line costs, in micros: units at their price, never more than was agreed; a flat price as a whole. */
  chargeMicros(id: string): number {
    const { billed, impressions, committed } = this.tallyOf(id)
    const { price } = this.settingsOf(id)
    if (price.model === 'flat_rate') return impressions === 0 ? 0 : price.rateMicros
    const per = price.model === 'cpc' ? 1n : 1000n
    let sum = 0n
    for (const [rate, units] of billed) sum += (BigInt(units) * BigInt(rate)) / per
    const charged = sum > BigInt(committed) ? BigInt(committed) : sum
    return Number(charged)
  }

  #matches({ productId, startsAt, endsAt, targeting }: LineSettings, { at, slot, visitor }: PageRequest): boolean {
    if (at < Date.parse(startsAt) || at >= Date.parse(endsAt)) return false
    if (!PLACES[productId]?.includes(slot.place)) return false
    if (targeting?.frequency_cap && visitor.viewer === undefined) return false
    return targeting?.geo_countries === undefined || targeting.geo_countries.some((each) => each === visitor.country)
  }

  #problem(text: string, at: number): void {
    if (this.problems.length < 50) this.problems.push(`${new Date(at).toISOString()} ${text}`)
  }
}

/** What a thousand impressions of a line bring, as far as the price alone says it. */
function worth({ price, priority }: LineSettings): number {
  return priority === 'guaranteed' ? Number.POSITIVE_INFINITY : price.model === 'cpm' ? price.rateMicros : 0
}

function committedMicros({ budgetMicros, goalImpressions, price }: LineSettings): number {
  if (price.model !== 'cpm' || goalImpressions === null) return budgetMicros
  return Math.min(budgetMicros, Math.ceil((goalImpressions * price.rateMicros) / 1000))
}
