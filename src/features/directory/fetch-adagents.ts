import { type AdagentsFile, type FileWarning, parseAdagentsInSteps } from '../../domain/directory/adagents-file.ts'
import { managerDomainOf } from '../../domain/directory/ads-txt.ts'
import { robotsAllow } from '../../domain/directory/robots.ts'
import { inventoryPartners } from '../../domain/directory/supply-path/partner-files.ts'
import type { PartnerFile } from '../../domain/directory/supply-path/types.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { largeJson } from '../../platform/decode/foreign-json.ts'
import { JsonRefused } from '../../platform/decode/parse-json.ts'
import {
  ADS_TXT_POLICY,
  AUTHORITATIVE_POLICY,
  FetchFailure,
  type FetchPolicy,
  publicReason,
} from '../../platform/net/fetch-policy.ts'
import type { FetchAnswer, SafeFetch } from '../../platform/net/safe-fetch.ts'

/** Validators of the copy at hand; a request without them must be answered in full. */
export interface Validators {
  readonly etag?: string | undefined
  readonly lastModified?: string | undefined
}

/** What came of asking for a file. `reason` is in words, for the operator. */
export type FileOutcome<T> =
  | {
      readonly kind: 'fetched'
      readonly content: T
      /** What the file holds as JSON; undefined where it is none. */
      readonly document?: unknown
      readonly body: string
      readonly warnings: readonly FileWarning[]
      readonly etag: string | undefined
      readonly lastModified: string | undefined
    }
  | { readonly kind: 'unchanged' }
  /** There is no such file. `fallback`: the publisher's ads.txt may answer instead. */
  | { readonly kind: 'absent'; readonly reason: string; readonly fallback: boolean }
  /** The file was served whole and is not one. */
  | { readonly kind: 'invalid'; readonly reason: string }
  /** Nothing is known: what is held stays for now. */
  | {
      readonly kind: 'failed'
      readonly reason: string
      /** For the one who named the address, where it says less than `reason`. */
      readonly publicReason?: string
      readonly retryAfter?: number | undefined
      /** HTTP status, where the server answered at all. */
      readonly status?: number
      /** Something is served as JSON that cannot be read: half a file, or one with a mistake. */
      readonly isBroken?: true
    }

/** Whether a host said what its file is, or that it has none, when it was asked without validators; what failed says nothing. */
export function isAnswer({ kind }: FileOutcome<unknown>): boolean {
  return kind !== 'failed' && kind !== 'unchanged'
}

/** Whether a host serves something that was meant to be the file, and is of no use. */
export function isUnusable(outcome: FileOutcome<unknown>): boolean {
  return outcome.kind === 'invalid' || (outcome.kind === 'failed' && outcome.isBroken === true)
}

export const wellKnownUrl = (domain: string): string => `https://${domain}/.well-known/adagents.json`
export const adsTxtUrl = (domain: string): string => `https://${domain}/ads.txt`

/**
 * Asks for an adagents.json. Never rejects. Bad JSON counts as a failed fetch (half a file and an error page in its place
 * look the same), a JSON document that is no adagents.json as invalid.
 */
export async function fetchAdagents(
  fetch: SafeFetch,
  url: string,
  policy: FetchPolicy,
  held: Validators = {},
): Promise<FileOutcome<AdagentsFile>> {
  const answer = await ask(fetch, url, policy, held)
  if ('kind' in answer) return answer
  if (answer.status !== 200) return refusalOf(answer)
  const body = decodeUtf8(answer.body)
  if (body === undefined) return { kind: 'failed', reason: `${url} is not UTF-8`, isBroken: true }
  const read = await readJson(body, policy)
  if ('fault' in read) return { kind: 'failed', reason: `${url} ${read.fault}`, isBroken: true }
  const { document } = read
  const parsed = await inTurns(parseAdagentsInSteps(document))
  if ('reason' in parsed) return { kind: 'invalid', reason: parsed.reason }
  const { etag, lastModified } = answer
  return { kind: 'fetched', content: parsed.file, document, body, warnings: parsed.warnings, etag, lastModified }
}

/** Asks for the manager that a publisher's ads.txt names; the content is undefined when it names none. Never rejects. */
export async function fetchManagerDomain(
  fetch: SafeFetch,
  domain: string,
  held: Validators = {},
): Promise<FileOutcome<string | undefined>> {
  const answer = await ask(fetch, adsTxtUrl(domain), ADS_TXT_POLICY, held)
  if ('kind' in answer) return answer
  if (answer.status !== 200) return refusalOf(answer)
  const manager = await inTurns(managerDomainOf(answer.body.toString('utf8')))
  const { etag, lastModified } = answer
  return { kind: 'fetched', content: manager, body: manager ?? '', warnings: [], etag, lastModified }
}

/**
 * Asks for the domains that a host names as inventory partners in its ads.txt or app-ads.txt: none where there is no such file, null
 * where it cannot be read. Never rejects.
 */
export async function fetchInventoryPartners(
  fetch: SafeFetch,
  domain: string,
  file: PartnerFile,
): Promise<readonly string[] | null> {
  const answer = await ask(fetch, `https://${domain}/${file}`, ADS_TXT_POLICY, {})
  if ('kind' in answer) return null
  if (answer.status === 200) return inTurns(inventoryPartners(answer.body.toString('utf8')))
  return answer.status === 404 || answer.status === 410 ? [] : null
}

/** Whether the robots.txt of a publisher keeps this crawler away from its adagents.json. One that cannot be read does not. Never rejects. */
export async function optsOut(fetch: SafeFetch, domain: string): Promise<boolean> {
  const answer = await ask(fetch, `https://${domain}/robots.txt`, ADS_TXT_POLICY, {})
  if ('kind' in answer || answer.status !== 200) return false
  return !(await inTurns(robotsAllow(answer.body.toString('utf8'), '/.well-known/adagents.json')))
}

/** Reads the text of a file that was held back; undefined when it is none. */
export async function readAdagents(body: string): Promise<ReadFile | undefined> {
  const read = await readJson(body, AUTHORITATIVE_POLICY)
  if ('fault' in read) return undefined
  const parsed = await inTurns(parseAdagentsInSteps(read.document))
  return 'reason' in parsed ? undefined : { file: parsed.file, document: read.document }
}

/** A file, and the JSON document that it was read from. */
export interface ReadFile {
  readonly file: AdagentsFile
  readonly document: unknown
}

type Refusal = Exclude<FileOutcome<never>, { kind: 'fetched' }>

async function ask(fetch: SafeFetch, url: string, policy: FetchPolicy, held: Validators): Promise<FetchAnswer | Refusal> {
  try {
    return await fetch(url, { policy, ...held })
  } catch (error) {
    const reason = error instanceof FetchFailure ? error.message : 'the fetch failed'
    return { kind: 'failed', reason, publicReason: publicReason(error, 'the fetch failed') }
  }
}

function refusalOf(answer: FetchAnswer): Refusal {
  const { status } = answer
  if (status === 304) return { kind: 'unchanged' }
  if (status === 404) return { kind: 'absent', reason: 'there is no file (404)', fallback: true }
  if (status === 410) return { kind: 'absent', reason: 'the file is gone (410)', fallback: false }
  // Object stores answer 403 for a missing key when listing is not allowed.
  if (status === 403 && /<Code>\s*AccessDenied\s*<\/Code>/.test(answer.body.toString('utf8'))) {
    return { kind: 'absent', reason: 'the object store has no such file (403 AccessDenied)', fallback: true }
  }
  return { kind: 'failed', reason: `the server answered ${status}`, status, retryAfter: answer.retryAfter }
}

function decodeUtf8(body: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    return undefined
  }
}

/** A text that another host wrote, within the bounds of JSON; `fault` goes on after the name of the file. */
async function readJson(
  body: string,
  { maxBytes }: Pick<FetchPolicy, 'maxBytes'>,
): Promise<{ readonly document: unknown } | { readonly fault: string }> {
  try {
    return { document: await largeJson(body, { what: 'the file', maxBytes }) }
  } catch (error) {
    const isBound = error instanceof JsonRefused && error.fault !== 'syntax'
    return { fault: isBound ? `is not read: ${error.message}` : 'is not JSON' }
  }
}
