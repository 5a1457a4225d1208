import { isDeepStrictEqual } from 'node:util'
import { AdcpError } from '../../protocol/errors.ts'
import { DAY_MS } from '../calendar/instant.ts'
import { compareTexts } from '../compare-texts.ts'
import type { MediaBuy } from '../media-buy/media-buy.ts'
import { insteadOfBuy } from '../media-buy/not-found.ts'
import { coverageOf } from './coverage.ts'
import { FORMS } from './form.ts'
import { offeringNamed, RETENTION_DAYS, type ReportingOffering } from './offering.ts'
import { type Period, type PeriodCalendar, periodCalendar } from './period-calendar.ts'
import { type OfferedPlace, requireOffered } from './require-offered.ts'

/** What a buyer asks for (AdCP 3.2, core/reporting-delivery-config.json), as far as this agent reads it; its schema is checked before. */
export interface ReportingConfig {
  readonly delivery_config_id: string
  readonly delivery_config_version: number
  readonly offering_id: string
  readonly active?: boolean
  readonly scope: { readonly all_media_buys?: true; readonly media_buy_ids?: readonly string[] }
  readonly revocation_effective_at?: string
  readonly schedule?: { readonly period_timezone?: string; readonly period_duration?: string }
  readonly [member: string]: unknown
}

/** A configuration as it was first accepted, with its life. What it asks for never changes; a change is another version. */
export interface Generation {
  readonly configId: string
  readonly version: number
  readonly config: ReportingConfig
  readonly activatedAt: string
  readonly deactivatedAt?: string
  /** No period that begins then or later is owed. */
  readonly stoppedAt?: string
}

/** More would be a list of its own, and each is asked about at every read. Beyond it, those are forgotten first that were owed no report, or none that is kept. */
const MOST_GENERATIONS = 64
/** Each is a record of its own for every day, or hour. */
const MOST_ACTIVE = 4
/** Members that say whether reports are wanted, not which. */
const LIFECYCLE = new Set(['active', 'revocation_effective_at'])

/** The offering of a generation. */
export function offeringOf({ config }: Pick<Generation, 'config'>): ReportingOffering {
  return offeringNamed(config.offering_id)
}

/** Whose days the periods of a generation are, or were hours of. */
export function timeZoneOf({ config }: Pick<Generation, 'config'>): string {
  return config.schedule?.period_timezone ?? 'UTC'
}

function calendarOf(generation: Pick<Generation, 'config'>): PeriodCalendar {
  return periodCalendar(FORMS[offeringOf(generation).form], timeZoneOf(generation))
}

/** What a replacement is judged by. */
interface Replacing {
  /** Media buys of the buyer in the account. */
  readonly ownBuys: ReadonlySet<string>
  readonly now: Date
  readonly place: OfferedPlace
}

/**
 * What a replacement of a buyer's configurations makes of those that are stored: new ones begin now, those that are left out or not active end at the next
 * boundary of their periods. Where they are too many, those of which nothing is left are forgotten. Throws INVALID_REQUEST, UNSUPPORTED_FEATURE or CONFLICT, naming the member below `path`.
 */
export function replaceGenerations(
  stored: readonly Generation[],
  wanted: readonly ReportingConfig[],
  { ownBuys, now, path, place }: Replacing & { readonly path: string },
): readonly Generation[] {
  const named = new Set<string>()
  const kept = wanted.map((config, index) => {
    const at = `${path}[${index}]`
    const name = nameOf({ configId: config.delivery_config_id, version: config.delivery_config_version })
    if (named.has(name))
      throw new AdcpError('INVALID_REQUEST', `${at} names the same version of a configuration twice`, { field: at })
    named.add(name)
    const before = stored.find((each) => nameOf(each) === name)
    return before ? continued(before, config, at, now) : begun(config, at, { ownBuys, now, place })
  })
  const left = stored
    .filter((each) => !named.has(nameOf(each)))
    .map((generation) => (generation.deactivatedAt === undefined ? ended(generation, now) : generation))
  const all = [...left, ...kept]
  requireFew(all, path)
  const over = all.length - MOST_GENERATIONS
  if (over <= 0) return all
  const forgotten = all.filter((each) => isForgettable(each, named, now)).sort(byEnd)
  if (forgotten.length < over) {
    const [first] = all.filter(({ stoppedAt }) => stoppedAt !== undefined).sort(byEnd)
    const until = first?.stoppedAt && new Date(Date.parse(first.stoppedAt) + RETENTION_DAYS * DAY_MS).toISOString()
    const message = `${path}: an account has at most ${MOST_GENERATIONS} versions of configurations whose reports are kept`
    throw new AdcpError('INVALID_REQUEST', until === undefined ? message : `${message}; the first is forgotten on ${until}`, {
      field: path,
    })
  }
  const gone = new Set(forgotten.slice(0, over))
  return all.filter((each) => !gone.has(each))
}

/** Throws INVALID_REQUEST for more active configurations than an account has. */
function requireFew(all: readonly Generation[], path: string): void {
  const active = all.filter(({ deactivatedAt }) => deactivatedAt === undefined)
  if (active.length > MOST_ACTIVE) {
    const message = `${path}: an account has at most ${MOST_ACTIVE} active configurations`
    throw new AdcpError('INVALID_REQUEST', message, { field: path })
  }
  const forms = active.map(offeringOf).flatMap(({ form, format }) => (format === undefined ? [] : [form]))
  const twice = forms.find((form, index) => forms.indexOf(form) !== index)
  if (twice === undefined) return
  const message = `${path}: an account has one active configuration of files for ${twice === 'billing' ? 'billing' : 'pacing'}; leave the others out`
  throw new AdcpError('INVALID_REQUEST', message, { field: path })
}

function byEnd({ stoppedAt: a = '' }: Generation, { stoppedAt: b = '' }: Generation): number {
  return compareTexts(a, b)
}

/** Whether nothing is left of a version: it has ended, this request does not name it, and it was owed no report, or none that is kept. */
function isForgettable(generation: Generation, named: ReadonlySet<string>, now: Date): boolean {
  const { activatedAt, stoppedAt } = generation
  if (stoppedAt === undefined || named.has(nameOf(generation))) return false
  const isUnused = calendarOf(generation).boundaryFrom(new Date(activatedAt)).toISOString() >= stoppedAt
  return isUnused || Date.parse(stoppedAt) + RETENTION_DAYS * DAY_MS < now.getTime()
}

/** The key of a version of a configuration. */
export function nameOf({ configId, version }: Pick<Generation, 'configId' | 'version'>): string {
  return `${configId} ${version}`
}

function begun(config: ReportingConfig, at: string, { ownBuys, now, place }: Replacing): Generation {
  requireOffered(config, at, place)
  const foreign = config.scope.media_buy_ids?.findIndex((id) => !ownBuys.has(id)) ?? -1
  if (foreign !== -1) {
    const field = `${at}.scope.media_buy_ids[${foreign}]`
    const hint = insteadOfBuy(config.scope.media_buy_ids?.[foreign] ?? '', [...ownBuys].toReversed())
    throw new AdcpError('MEDIA_BUY_NOT_FOUND', `${field} is not one of your media buys of this account${hint}`, { field })
  }
  const { delivery_config_id: configId, delivery_config_version: version } = config
  const generation = { configId, version, config, activatedAt: now.toISOString() }
  return config.active === false ? ended(generation, now) : generation
}

/** A configuration that is known: only whether it is active may change, and what has ended stays so. */
function continued(before: Generation, config: ReportingConfig, at: string, now: Date): Generation {
  if (!isDeepStrictEqual(withoutLifecycle(before.config), withoutLifecycle(config))) {
    const message = `${at} differs from version ${before.version} as it was accepted; send it as version ${before.version + 1}`
    throw new AdcpError('CONFLICT', message, { field: `${at}.delivery_config_version` })
  }
  if (before.deactivatedAt !== undefined) {
    if (config.active === false) return before
    const message = `${at} ended on ${before.deactivatedAt}; send it as version ${before.version + 1} to begin again`
    throw new AdcpError('INVALID_STATE', message, { field: `${at}.active` })
  }
  return config.active === false ? ended({ ...before, config }, now) : before
}

function ended(generation: Generation, now: Date): Generation {
  return { ...generation, deactivatedAt: now.toISOString(), stoppedAt: calendarOf(generation).boundaryFrom(now).toISOString() }
}

function withoutLifecycle(config: ReportingConfig): object {
  return Object.fromEntries(Object.entries(config).filter(([name]) => !LIFECYCLE.has(name)))
}

/** The periods of a generation that have ended at `now`, in order; none from before `since`. */
export function endedPeriods(generation: Generation, now: Date, since: Date): readonly Period[] {
  const { activatedAt, stoppedAt } = generation
  const calendar = calendarOf(generation)
  const limit = stoppedAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(stoppedAt)
  const periods: Period[] = []
  let start = calendar.boundaryFrom(new Date(Math.max(Date.parse(activatedAt), since.getTime())))
  for (let end = calendar.next(start); end <= now && start.getTime() < limit; end = calendar.next(start)) {
    periods.push({ start: start.toISOString(), end: end.toISOString() })
    start = end
  }
  return periods
}

/** Whether a period is one of a generation's that has ended. */
export function isOwedPeriod(generation: Generation, { start, end }: Period, now: Date): boolean {
  const since = new Date(Date.parse(start) - 1)
  const [first] = endedPeriods(generation, new Date(Math.min(now.getTime(), Date.parse(end))), since)
  return first?.start === start && first.end === end
}

/** The newest boundary of periods of some generations at a moment; of none, of days of UTC. */
export function newestBoundary(generations: readonly Pick<Generation, 'config'>[], at: Date): Date {
  const calendars = generations.length === 0 ? [periodCalendar(FORMS.call, 'UTC')] : generations.map(calendarOf)
  return new Date(Math.max(...calendars.map((calendar) => calendar.boundaryUntil(at).getTime())))
}

/** When the report of a period is due. */
export function dueAt(generation: Pick<Generation, 'config'>, { end }: Period): string {
  return new Date(Date.parse(end) + offeringOf(generation).dueHours * 3_600_000).toISOString()
}

/** When the next period of a generation begins; undefined when none does. */
export function nextPeriodStart(generation: Generation, now: Date): string | undefined {
  const { activatedAt, stoppedAt } = generation
  const calendar = calendarOf(generation)
  const after = calendar.next(calendar.boundaryUntil(now)).getTime()
  const start = new Date(Math.max(after, calendar.boundaryFrom(new Date(activatedAt)).getTime())).toISOString()
  return stoppedAt !== undefined && start >= stoppedAt ? undefined : start
}

/** The state of a configuration (AdCP 3.2, core/reporting-delivery-config-state.json). */
export function presentGeneration(
  { config, activatedAt, deactivatedAt, stoppedAt }: Generation,
  buys: readonly MediaBuy[],
  { now, destinationRef }: { readonly now: Date; readonly destinationRef: string },
) {
  const isActive = deactivatedAt === undefined
  const { media_buy_ids: named } = config.scope
  const covered = buys.filter(({ mediaBuyId, endsAt }) => (named ? named.includes(mediaBuyId) : endsAt > now.toISOString()))
  const packages = covered.flatMap((buy) => buy.packages.map(({ packageId }) => packageId))
  return {
    configuration: { ...config, active: isActive },
    state: isActive ? ('ready' as const) : ('inactive' as const),
    ...(offeringNamed(config.offering_id).format !== undefined && { destination_ref: destinationRef }),
    validated_at: activatedAt,
    activated_at: activatedAt,
    ...(deactivatedAt !== undefined && { deactivated_at: deactivatedAt }),
    ...(stoppedAt !== undefined && { publication_stopped_at: stoppedAt }),
    // An inactive one covers nothing that comes, and every package of an account would be named sixteen times.
    ...(isActive && {
      current_coverage: coverageOf(covered.map(({ mediaBuyId }) => mediaBuyId).sort(), packages.sort(), now.toISOString()),
    }),
  }
}
