import { join } from 'node:path'
import { segmentReplay } from '../../ad-serving/embedded/replay-segment.ts'
import type { Config } from '../../config/config.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Store } from '../../store/database.ts'
import { embeddedEventWriter } from '../../store/embedded/events.ts'
import { createEventSpool, type EventSpool } from '../../store/embedded/spool/event-spool.ts'
import { openStore } from '../../store/open.ts'

const MEGABYTE = 1024 * 1024

/** The spool of ad events of a deployment, in its data folder. */
export function adEventSpool({ data, ads }: Pick<Config, 'data' | 'ads'>): EventSpool {
  return createEventSpool({ folder: join(data, 'ad-events'), maxBytes: ads.spoolMegabytes * MEGABYTE })
}

/**
 * Brings what the spool of this machine holds to the store, also while servers run, so that a copy of the store has every event that was acknowledged until now. Opens no
 * store when there is nothing to bring. Throws SERVICE_UNAVAILABLE when the store is away or does not take all of them.
 */
export async function emptyAdEventSpool(config: Config, clock: () => Date): Promise<void> {
  const spool = adEventSpool(config)
  if ((await spool.contents()).waiting === 0) return
  const store: Store = await openStore(config)
  const report = (_fault: unknown, message: string) => process.emitWarning(message)
  try {
    const isLeft = await spool.drain(
      segmentReplay({ append: embeddedEventWriter(store), ping: () => store.ping(), clock, report }),
    )
    if (isLeft)
      throw new AdcpError('SERVICE_UNAVAILABLE', 'a server is replaying its spool of ad events: try again in ten seconds')
  } finally {
    await store.close()
  }
}
