import { DAY_MS } from '../../domain/calendar/instant.ts'
import { hashToken } from '../../security/auth/opaque-key.ts'
import type { KeyProvider } from '../../security/signing/key-provider.ts'
import type { Store } from '../../store/database.ts'
import { lookupKey } from '../../store/identity/api-keys.ts'
import { claimCheck, type EndedCheck, endCheck } from '../../store/seller-check/seller-checks.ts'
import { checkDocument, type SellersDocument } from './check-document.ts'
import { checkSeller, type SellerToCheck } from './check-seller.ts'
import { ownReportKey, type SignedReport, signReport } from './sign-report.ts'

/** How often this agent checks itself. */
export type CheckRepeat = 'day' | 'week'

export interface SelfCheckParts {
  readonly store: Store
  readonly clock: () => Date
  readonly keys: KeyProvider
  /** Of this program. */
  readonly version: string
  readonly every: CheckRepeat
  readonly seller: SellerToCheck
  readonly brief: string
  /** Makes the report a page. */
  readonly page: (document: SellersDocument, signed: SignedReport) => string
}

/** A check takes seconds; a process that has not ended it after this time was stopped. */
const LEASE_MS = 30 * 60_000
/** Reports that are kept. */
const KEPT = 10

/**
 * Plays what `verify-seller` plays against this agent itself, once in a day or week (UTC, weeks begin on Monday) however many processes there are, and keeps
 * the signed report. Undefined: there is nothing to do.
 */
export async function checkSelf(parts: SelfCheckParts): Promise<EndedCheck | undefined> {
  const { store, clock, seller, brief, version } = parts
  const startedAt = clock()
  const period = periodOf(startedAt, parts.every)
  if (!(await claimCheck(store, period, startedAt, LEASE_MS))) return undefined
  const report = await checkSeller(seller, { brief, load: true, clock, report: () => undefined })
  const endedAt = clock()
  const document = checkDocument({ version, brief, startedAt, endedAt }, [report])
  const signed = await signReport(document, await ownReportKey(parts.keys))
  const idsOf = (outcome: 'held' | 'broken') => report.checks.filter((each) => each.outcome === outcome).map(({ id }) => id)
  const ended: EndedCheck = {
    period,
    tenantId: seller.key === undefined ? undefined : await publisherOf(store, seller.key, endedAt),
    startedAt: startedAt.toISOString(),
    endedAt: endedAt.toISOString(),
    held: idsOf('held'),
    broken: idsOf('broken'),
  }
  const { text, signature, publicKey } = signed
  const files = { report: text, signature, publicKey: JSON.stringify(publicKey), page: parts.page(document, signed) }
  await endCheck(store, ended, files, KEPT)
  return ended
}

async function publisherOf(store: Store, key: string, now: Date): Promise<string | undefined> {
  const found = await lookupKey(store.read, hashToken(key), now)
  return 'tenant' in found ? found.tenant.tenantId : undefined
}

/** The first day of a day or week, UTC. */
export function periodOf(at: Date, every: CheckRepeat): string {
  const sinceMonday = (at.getUTCDay() + 6) % 7
  return new Date(at.getTime() - (every === 'week' ? sinceMonday * DAY_MS : 0)).toISOString().slice(0, 10)
}
