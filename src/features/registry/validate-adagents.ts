import { parseAdagentsInSteps } from '../../domain/directory/adagents-file.ts'
import type { RouteMethod } from '../../domain/directory/claim.ts'
import { ownSellingTimes } from '../../domain/directory/claim.ts'
import { indexInSteps, isInEffect } from '../../domain/directory/resolve.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { AUTHORITATIVE_POLICY, WELL_KNOWN_POLICY } from '../../platform/net/fetch-policy.ts'
import type { SafeFetch } from '../../platform/net/safe-fetch.ts'
import { checkInSteps } from '../../protocol/check-in-steps.ts'
import { fieldOf } from '../../protocol/field-of.ts'
import type { Validate } from '../../protocol/schemas.ts'
import { type FileOutcome, fetchAdagents, fetchManagerDomain, isAnswer, wellKnownUrl } from '../directory/fetch-adagents.ts'

/** What an adagents.json is worth. `errors` and `warnings` are sentences that name the place in the file. */
export interface AdagentsVerdict {
  readonly valid: boolean
  readonly errors: readonly string[]
  readonly warnings: readonly string[]
  /** Where the authoritative file is, when this one only points at it. */
  readonly pointsAt: string | undefined
  readonly agents: number
  readonly properties: number
}

/** A verdict on what a domain serves. */
export interface DomainVerdict extends Omit<AdagentsVerdict, 'pointsAt'> {
  readonly found: boolean
  /** False: what is served could not be fetched, so that it is unknown whether it is valid. */
  readonly answered: boolean
  readonly url: string
  readonly method: RouteMethod | undefined
  readonly manager: string | null
}

/** A broken generator repeats one fault thousands of times. */
const MOST_FINDINGS = 50

/**
 * Judges a decoded adagents.json: the official schema, then whether it can be resolved, then what in it counts for nothing. `publisher` is the
 * domain that serves it; `now` Unix milliseconds.
 */
export async function judgeAdagents(
  document: unknown,
  check: Validate,
  options: { readonly publisher?: string; readonly now: number },
): Promise<AdagentsVerdict> {
  const issues = await inTurns(checkInSteps(check, document, MOST_FINDINGS))
  const errors = issues.map(({ pointer, message }) => `${fieldOf(pointer) || 'the file'} ${message}`)
  const parsed = await inTurns(parseAdagentsInSteps(document))
  const warnings = parsed.warnings.map(({ path, reason }) => `${path} ${reason}; it counts for nothing`)
  if ('reason' in parsed) return verdict([parsed.reason, ...errors], warnings, { pointsAt: undefined, agents: 0, properties: 0 })
  const { file } = parsed
  if (file.kind === 'pointer') return verdict(errors, warnings, { pointsAt: file.location, agents: 0, properties: 0 })
  const { publisher, now } = options
  if (publisher !== undefined) {
    const route = { publisher, method: 'direct' as const, manager: null }
    const times = await inTurns(ownSellingTimes(await inTurns(indexInSteps(file)), route))
    for (const agent of new Set(file.agents.map((entry) => entry.agent))) {
      if (!times.get(agent)?.some((window) => isInEffect(window, now)))
        warnings.push(`authorized_agents: ${agent} may sell no property of ${publisher} by this file`)
    }
  }
  return verdict(errors, warnings, { pointsAt: undefined, agents: file.agents.length, properties: file.properties.length })
}

function verdict(
  errors: readonly string[],
  warnings: readonly string[],
  more: Pick<AdagentsVerdict, 'pointsAt' | 'agents' | 'properties'>,
): AdagentsVerdict {
  const [shown, hints] = [errors, warnings].map((list) => [...new Set(list)].slice(0, MOST_FINDINGS))
  return { valid: errors.length === 0, errors: shown ?? [], warnings: hints ?? [], ...more }
}

interface DomainCheck {
  readonly fetch: SafeFetch
  readonly check: Validate
  readonly now: number
  /** The answer is for the operator, who is told why a host was not reached, as by `verify`. */
  readonly isForOperator?: boolean
}

/** Judges what a domain serves now, following one pointer or the manager that its ads.txt names. Never rejects. */
export async function judgeDomain(domain: string, deps: DomainCheck): Promise<DomainVerdict> {
  const own = await judgeUrl(wellKnownUrl(domain), WELL_KNOWN_POLICY, { ...deps, publisher: domain })
  if ('reason' in own) {
    if (own.fallback) return viaAdsTxt(domain, own.reason, deps)
    return failed(domain, own)
  }
  const direct = { found: true, answered: true, url: wellKnownUrl(domain), method: 'direct', manager: null } as const
  if (own.pointsAt === undefined) return { ...own, ...direct }
  const location = own.pointsAt
  const method = 'authoritative_location'
  const manager = new URL(location).hostname
  const end = await judgeUrl(location, AUTHORITATIVE_POLICY, { ...deps, publisher: domain })
  if ('reason' in end || end.pointsAt !== undefined) {
    const reason = 'reason' in end ? end.reason : 'the authoritative_location is itself a pointer'
    return {
      ...own,
      valid: false,
      errors: [...own.errors, `authoritative_location: ${reason}`],
      found: true,
      answered: !('reason' in end) || end.answered,
      url: location,
      method,
      manager,
    }
  }
  const errors = [...own.errors, ...end.errors]
  return {
    ...end,
    valid: errors.length === 0,
    errors,
    warnings: [...own.warnings, ...end.warnings],
    found: true,
    answered: true,
    url: location,
    method,
    manager,
  }
}

async function viaAdsTxt(domain: string, reason: string, deps: DomainCheck): Promise<DomainVerdict> {
  const adsTxt = await fetchManagerDomain(deps.fetch, domain)
  if (adsTxt.kind !== 'fetched') {
    const why = adsTxt.kind === 'absent' ? reason : `${reason}; ads.txt: ${whyNot(adsTxt, deps)}`
    return failed(domain, { reason: why, isThere: false, answered: isAnswer(adsTxt) })
  }
  const manager = adsTxt.content
  if (manager === undefined || manager === domain) return failed(domain, { reason, isThere: false, answered: true })
  const url = wellKnownUrl(manager)
  const end = await judgeUrl(url, WELL_KNOWN_POLICY, deps)
  if ('reason' in end)
    return failed(domain, { ...end, reason: `${reason}; the manager ${manager} of its ads.txt: ${end.reason}`, isThere: false })
  return { ...end, found: true, answered: true, url, method: 'ads_txt_managerdomain', manager }
}

function failed(domain: string, { reason, isThere, answered }: Omit<Unusable, 'fallback'>): DomainVerdict {
  const nothing = { warnings: [], agents: 0, properties: 0, method: undefined, manager: null }
  return { found: isThere, answered, valid: false, errors: [reason], url: wellKnownUrl(domain), ...nothing }
}

interface Unusable {
  readonly reason: string
  readonly answered: boolean
  /** Something is served there, but no file. */
  readonly isThere: boolean
  /** The publisher's ads.txt may answer instead. */
  readonly fallback: boolean
}

async function judgeUrl(
  url: string,
  policy: typeof WELL_KNOWN_POLICY,
  deps: DomainCheck & { readonly publisher?: string },
): Promise<AdagentsVerdict | Unusable> {
  const { fetch, check, now, publisher } = deps
  const outcome = await fetchAdagents(fetch, url, policy)
  if (outcome.kind === 'fetched')
    return judgeAdagents(outcome.document, check, { now, ...(publisher !== undefined && { publisher }) })
  const fallback = outcome.kind === 'absent' && outcome.fallback
  return { reason: whyNot(outcome, deps), answered: isAnswer(outcome), isThere: outcome.kind === 'invalid', fallback }
}

/** Why a file gave nothing, for the one who named the domain. */
function whyNot(outcome: Exclude<FileOutcome<unknown>, { kind: 'fetched' }>, { isForOperator }: DomainCheck): string {
  if (outcome.kind === 'unchanged') return 'the server answered 304 to an unconditional request'
  return outcome.kind === 'failed' && isForOperator !== true ? (outcome.publicReason ?? outcome.reason) : outcome.reason
}
