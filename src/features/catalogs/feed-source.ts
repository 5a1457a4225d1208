import type { DeclaredCatalog } from '../../domain/catalog/declared-catalog.ts'
import { feedItems } from '../../domain/catalog/read-feed.ts'
import type { FeedResult } from '../../domain/catalog/sync-catalog.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { decode } from '../../platform/decode/decode.ts'
import { DecodeFault } from '../../platform/decode/decode-fault.ts'
import { FetchFailure, type FetchPolicy } from '../../platform/net/fetch-policy.ts'
import type { SafeFetch } from '../../platform/net/safe-fetch.ts'
import { AdcpError } from '../../protocol/errors.ts'

/** The copy at hand, so that an unchanged feed costs nothing. */
export interface KnownCopy {
  readonly etag?: string | undefined
  readonly lastModified?: string | undefined
}

export type FeedAnswer = FeedResult | { readonly ok: true; readonly unchanged: true }

/** Fetches and reads buyers' feeds. Never rejects: what went wrong is part of the answer, as text for the buyer. */
export interface FeedSource {
  fetch(catalog: DeclaredCatalog & { readonly url: string }, buyer: PrincipalRef, known?: KnownCopy): Promise<FeedAnswer>
}

/** The call that waits for a feed holds its idempotency key meanwhile; a larger feed than this would also take too long to review. */
const FEED_POLICY: FetchPolicy = {
  redirects: 'same-registrable-domain',
  maxRedirects: 3,
  maxBytes: 10_000_000,
  connectMs: 5_000,
  readMs: 10_000,
  totalMs: 20_000,
  contentTypes: undefined,
}

const ACCEPT =
  'application/json, application/xml;q=0.9, text/xml;q=0.9, text/csv;q=0.8, text/tab-separated-values;q=0.8, */*;q=0.1'

/** Feeds over the one way out for addresses that others name. */
export function createFeedSource(safeFetch: SafeFetch): FeedSource {
  return {
    async fetch(catalog, { tenantId, principalId }, known = {}) {
      try {
        const answer = await safeFetch(catalog.url, { policy: FEED_POLICY, accept: ACCEPT, ...known })
        if (answer.status === 304) return { ok: true, unchanged: true }
        if (answer.status !== 200) return refused(`the feed's server answered ${answer.status}`)
        const records = await decode('feed', { bytes: answer.body }, `${tenantId}/${principalId}`)
        const items = await inTurns(feedItems(records, catalog))
        return {
          ok: true,
          items,
          ...(answer.etag !== undefined && { etag: answer.etag }),
          ...(answer.lastModified !== undefined && { lastModified: answer.lastModified }),
        }
      } catch (error) {
        if (error instanceof AdcpError) return { ok: false, error }
        if (error instanceof DecodeFault) return refused(`the feed ${error.message}`, error)
        if (error instanceof FetchFailure) return refused(reasonOf(error), error)
        throw error
      }
    },
  }
}

/** What the buyer may know: faults of the address and of the document; nothing of what lies behind an address. */
function reasonOf({ code }: FetchFailure): string {
  if (code === 'invalid_url' || code === 'not_https') return 'the address of the feed must be an https URL'
  if (code === 'too_large') return `the feed is larger than ${FEED_POLICY.maxBytes} bytes`
  if (code === 'redirect_refused' || code === 'too_many_redirects') return 'the feed redirects to somewhere else'
  return 'the feed cannot be fetched from here'
}

function refused(message: string, cause?: unknown): FeedAnswer {
  return {
    ok: false,
    error: new AdcpError('VALIDATION_ERROR', message, {
      suggestion: 'check that the address answers with the feed to anyone, or send the items inline',
      cause,
    }),
  }
}
