import { createFairQueue, type FairQueue } from '../../platform/concurrency/fair-queue.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { addressBucket } from '../../platform/net/client-address.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { Store } from '../../store/database.ts'
import { createAnswerCache } from './answer-cache.ts'
import type { Arguments } from './arguments.ts'
import type { Operation } from './contract.ts'
import { RegistryRefusal } from './refusal.ts'
import type { Registry, RegistryCaller } from './registry.ts'

/** Pages that are being sent, about a megabyte each: in all, and to one address, so that a few readers that read nothing do not hold up the others. */
const ON_THEIR_WAY = { inAll: 64, ofAddress: 2 }
/** Pages that are kept for streams at the same place, and for how long. */
const KEPT = { pages: 4, ms: 1_000 }

/** Writes a page as an event (undefined: nothing has happened); resolves when its reader has taken it or is gone. */
export type Send = (event: Uint8Array | undefined) => Promise<void>

/** Reads the page behind the one before and sends it, when there is room for both. Throws RegistryRefusal and what `asRegistryRefusal` knows. */
export type NextPage = (send: Send) => Promise<{ readonly cursor: string; readonly hasMore: boolean }>

/** The feed as streams read it. */
export interface FeedPages {
  /** What a page is asked of. */
  readonly operation: Operation
  /** A stream from the place on that the arguments name. */
  follow(args: Arguments, caller: RegistryCaller): NextPage
}

interface Page {
  /** Streams write it without a copy of their own. */
  readonly event: Uint8Array | undefined
  readonly cursor: string
  readonly hasMore: boolean
}

/** Pages for `streams` streams at most, made one by one, and once for all that are at the same place. */
export function createFeedPages(registry: Registry, store: Pick<Store, 'dataVersion'>, streams: number): FeedPages {
  const operation = registry.operations.find(({ id }) => id === 'getRegistryFeed')
  if (!operation) throw new Error('the registry has no feed')
  const onTheirWay = fairly(ON_THEIR_WAY.inAll, ON_THEIR_WAY.ofAddress, streams)
  const oneByOne = fairly(1, 1, streams)
  const kept = createAnswerCache<Page>({ most: KEPT.pages, keepMs: () => KEPT.ms })
  return {
    operation,
    follow(args, caller) {
      const holder = { key: addressBucket(caller.address), isKnown: false }
      let asked = args
      const make = async () => {
        const { body } = await registry.perform(operation, asked, caller)
        await yieldToEventLoop()
        return pageOf(body)
      }
      return (send) =>
        onTheirWay(holder, async () => {
          const { page, taken } = await oneByOne(holder, async () => {
            const page = await kept.get(JSON.stringify([store.dataVersion(), asked]), performance.now(), make)
            await yieldToEventLoop()
            const taken = send(page.event)
            await yieldToEventLoop()
            return { page, taken }
          })
          await taken
          asked = { ...args, cursor: page.cursor }
          return page
        })
    },
  }
}

/** Addresses take turns; every stream may wait. */
function fairly(concurrent: number, ofEachUnknown: number, waiting: number): FairQueue {
  const refusal = () => new RegistryRefusal(503, 'unavailable', 'too many streams are open; poll /api/registry/feed')
  return createFairQueue({ concurrent, ofUnknown: concurrent, ofEachUnknown, waiting, refusal })
}

function pageOf(body: object): Page {
  if (!isObject(body)) throw new Error('the feed gave no page')
  const { cursor, has_more: hasMore, events } = body
  if (typeof cursor !== 'string' || !Array.isArray(events)) throw new Error('the feed gave no page')
  const event = events.length === 0 ? undefined : Buffer.from(`id: ${cursor}\nevent: feed\ndata: ${JSON.stringify(body)}\n\n`)
  return { event, cursor, hasMore: hasMore === true }
}
