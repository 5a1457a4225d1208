import type { Outgoing } from '../../features/notifications/send-notification.ts'
import { addressPlace, findChannel } from '../../store/notification/notification-channels.ts'
import type { LeasedMessage } from '../../store/notification/notification-outbox.ts'
import { findPerson } from '../../store/people/people.ts'
import type { OperatorContext } from '../operator-context.ts'
import { mayBeTold } from './notice-conditions.ts'
import { frameOf } from './test-channel.ts'

/** A message with the address that its person has now; undefined when they have removed the channel or left the publisher. */
export async function addressMessage(context: OperatorContext, message: LeasedMessage): Promise<Outgoing | undefined> {
  const { tenantId, personId } = message
  const channel = await findChannel(context.store.read, tenantId, personId, message.channel)
  if (!channel || !mayBeTold(await findPerson(context.store.read, personId), tenantId)) return undefined
  const { box } = await context.services.notifications()
  const address = box.open(channel.address, addressPlace(channel))
  return { ...message, address, frame: await frameOf(context, tenantId) }
}
