import { isReservedDomain } from '../reserved-domain.ts'
import type { Assets } from './assets.ts'
import type { Creative } from './creative.ts'
import { addressesOf, type CreativeAddress } from './creative-addresses.ts'
import type { Verdict } from './lifecycle.ts'

/** The reason of a creative whose files nobody has seen yet begins so. */
export const UNSEEN_FILES = 'its files are fetched and checked before it is approved'

/** Waits before each attempt to fetch the files of a creative, in ms: at most three hours in all. */
const WAITS_MS = [0, 60_000, 5 * 60_000, 30 * 60_000, 2 * 3_600_000]
/** Attempts to fetch the files of a creative. */
export const MOST_ATTEMPTS = WAITS_MS.length
/** Files that are fetched of a creative. */
const MOST_FILES = 20

/** Whether files are examined before a creative is approved, and whether its buyer tests. */
export interface Examining {
  readonly examined: boolean
  readonly sandbox: boolean
}

/**
 * The verdict of a review, held back until the files of the creative were seen. A file at a name that is reserved for examples (RFC 2606) can be on no page: its creative is
 * rejected, and in a sandbox such files are not fetched, which `remark` says.
 */
export function untilSeen(
  verdict: Verdict,
  assets: Assets,
  { examined, sandbox }: Examining,
): { readonly verdict: Verdict; readonly remark?: string } {
  if (verdict.status !== 'approved' || !examined) return { verdict }
  const files = filesOf(assets)
  const reserved = files.filter(({ url }) => isReserved(url))
  const [first] = reserved
  if (first && !sandbox) {
    const reason = `assets.${first.asset}: ${first.url} leads nowhere: the name of its host is reserved for examples (RFC 2606)`
    return { verdict: { status: 'rejected', reason } }
  }
  const remark =
    first &&
    `assets.${first.asset}: ${first.url} is not fetched: its host is a name for examples (RFC 2606); in production it is refused`
  if (files.length === reserved.length) return { verdict, ...(remark !== undefined && { remark }) }
  return { verdict: { status: 'pending_review', reason: UNSEEN_FILES }, ...(remark !== undefined && { remark }) }
}

/** The files that are fetched of a creative, those at reserved names and those whose address a macro completes left out; `unseen`: how many more it has than are fetched. */
export function filesToFetch(assets: Assets): { readonly files: readonly CreativeAddress[]; readonly unseen: number } {
  const files = filesOf(assets).filter(({ url }) => !isReserved(url))
  return { files: files.slice(0, MOST_FILES), unseen: Math.max(0, files.length - MOST_FILES) }
}

/** The attempt (1 to {@link MOST_ATTEMPTS}) that is due of a creative whose files nobody has seen; undefined for any other creative, and before the attempt is due. */
export function attemptDue({ status, statusReason = '', updatedAt }: Creative, now: Date): number | undefined {
  if (status !== 'pending_review' || !statusReason.startsWith(UNSEEN_FILES)) return undefined
  const made = Number(/\(attempt (\d) of/.exec(statusReason.slice(0, UNSEEN_FILES.length + 20))?.[1] ?? 0)
  const wait = WAITS_MS[Math.min(made, MOST_ATTEMPTS - 1)] ?? 0
  return Date.parse(updatedAt) + wait <= now.getTime() ? Math.min(made + 1, MOST_ATTEMPTS) : undefined
}

/** Creatives that wait for their next attempt: their reasons begin so, and they were changed after `since` (ISO 8601). */
export function waitingForAttempt(now: Date): readonly { readonly reason: string; readonly since: string }[] {
  return WAITS_MS.slice(1).map((wait, made) => ({
    reason: `${UNSEEN_FILES} (attempt ${made + 1} of`,
    since: new Date(now.getTime() - wait).toISOString(),
  }))
}

/** The reason of a creative while an attempt runs, or after it failed with `why`. */
export function attemptReason(attempt: number, why?: string): string {
  return `${UNSEEN_FILES} (attempt ${attempt} of ${MOST_ATTEMPTS}${why === undefined ? '' : `: ${why}`})`
}

function filesOf(assets: Assets): readonly CreativeAddress[] {
  return addressesOf(assets).filter(({ kind, url }) => kind === 'file' && URL.canParse(url) && !isCompleted(url))
}

/** Whether a macro completes an address. The brackets of an IPv6 host (RFC 3986 §3.2.2) are none. */
function isCompleted(url: string): boolean {
  return /[{[]/.test(url.replace(/^[a-z]+:\/\/\[[\da-f:.]{2,45}\]/i, ''))
}

function isReserved(url: string): boolean {
  return isReservedDomain(new URL(url).hostname)
}
