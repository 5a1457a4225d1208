import type { Person } from '../../domain/people/person.ts'
import type { Db } from '../../store/database.ts'
import { channelsOfPerson } from '../../store/notification/notification-channels.ts'
import { enqueueMessage } from '../../store/notification/notification-outbox.ts'

/** Tells a person at once, over all of their channels, what was done with their own account; they cannot choose not to be told. */
export async function tellPerson(
  tx: Db,
  { personId, username }: Pick<Person, 'personId' | 'username'>,
  text: string,
  now: Date,
): Promise<void> {
  const item = {
    kind: 'account',
    subject: username,
    title: 'Your account',
    text,
    path: '/account',
    at: now.toISOString(),
  } as const
  const document = { items: [item], more: 0, isDigest: false }
  for (const { tenantId, channel } of await channelsOfPerson(tx, personId))
    await enqueueMessage(tx, { tenantId, personId, channel }, document, now)
}
