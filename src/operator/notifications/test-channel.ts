import { randomUUID } from 'node:crypto'
import { verdictOf } from '../../domain/webhook/retry.ts'
import { logNow } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'
import { requirePublisher } from '../require-publisher.ts'
import { consoleAddressOf } from './console-address.ts'
import { type NamedChannel, openChannel } from './manage-channels.ts'

/** What the test of a channel came to; `error` says what is wrong when it was not delivered. */
export interface ChannelTest {
  readonly delivered: boolean
  /** HTTP status of the receiver, or 250 of the mail server; null without an answer. */
  readonly status: number | null
  readonly error: string | null
}

/** Sends a test message over a person's channel now, once. Throws REFERENCE_NOT_FOUND. */
export async function testChannel(context: OperatorContext, named: NamedChannel): Promise<ChannelTest> {
  const channel = await openChannel(context, named)
  const { send } = await context.services.notifications()
  await logNow(context)
  const now = context.clock().toISOString()
  const result = await send({
    channel: channel.channel,
    address: channel.address,
    deliveryId: `ntf_${randomUUID()}`,
    tenantId: named.tenantId,
    createdAt: now,
    frame: await frameOf(context, named.tenantId),
    document: {
      items: [
        {
          kind: 'test',
          subject: 'test',
          text: 'This is a test: notifications arrive here.',
          path: `/t/${named.tenantId}/home`,
          at: now,
        },
      ],
      more: 0,
      isDigest: false,
    },
  })
  const delivered = verdictOf(result) === 'delivered'
  return { delivered, status: result.status ?? null, error: delivered ? null : (result.error ?? `status ${result.status}`) }
}

/** What every message of a publisher shows. Throws REFERENCE_NOT_FOUND. */
export async function frameOf({ store, config }: OperatorContext, tenantId: string) {
  const tenant = await requirePublisher(store.read, tenantId)
  const consoleUrl = consoleAddressOf(config)
  return { publisher: tenant.name, consoleUrl, channelsUrl: `${consoleUrl}/t/${tenantId}/notifications` }
}
