import { mayBeTold } from '../../domain/people/person.ts'
import type { Db } from '../../store/database.ts'
import { channelsOf, type NotificationChannel } from '../../store/notification/notification-channels.ts'
import { addCondition, knownConditions, setGone } from '../../store/notification/notification-conditions.ts'
import { addItem } from '../../store/notification/notification-items.ts'
import { listPeople } from '../../store/people/people.ts'
import type { OperatorContext } from '../operator-context.ts'
import type { Condition } from './condition.ts'
import type { ConditionCheck } from './find-conditions.ts'

/**
 * Compares what a check finds at a publisher with what is known: what is new is collected for every channel that wants its kind, in the transaction
 * that takes note of it, so that it is reported once, however many processes search for conditions and whenever one of them dies. Gives how many are new.
 */
export async function noticeConditions(context: OperatorContext, tenantId: string, check: ConditionCheck): Promise<number> {
  const { store, clock } = context
  const found = await check.find(context, tenantId)
  const known = await knownConditions(store.read, tenantId, check.kinds)
  const now = clock()
  const keyOf = (kind: string, subject: string) => JSON.stringify([kind, subject])
  const knownKeys = new Set(known.map(({ kind, subject }) => keyOf(kind, subject)))
  const foundKeys = new Set(found.map(({ kind, key }) => keyOf(kind, key)))
  const fresh = found.filter(({ kind, key }) => !knownKeys.has(keyOf(kind, key)))
  const ended = known.filter(({ kind, subject, goneAt }) => goneAt === undefined && !foundKeys.has(keyOf(kind, subject)))
  const back = known.filter(({ kind, subject, goneAt }) => goneAt !== undefined && foundKeys.has(keyOf(kind, subject)))
  if (ended.length + back.length > 0)
    await store.transaction(async (tx) => {
      for (const kind of check.kinds) {
        const of = (list: typeof known) => list.filter((each) => each.kind === kind).map(({ subject }) => subject)
        await setGone(tx, tenantId, kind, of(ended), now)
        await setGone(tx, tenantId, kind, of(back), undefined)
      }
    })
  if (fresh.length === 0) return 0
  return store.transaction(async (tx) => {
    const channels = await activeChannels(tx, tenantId)
    let count = 0
    for (const condition of fresh) if (await collect(tx, tenantId, condition, channels, now)) count++
    return count
  })
}

async function collect(
  tx: Db,
  tenantId: string,
  { key, ...item }: Condition,
  channels: readonly NotificationChannel[],
  now: Date,
): Promise<boolean> {
  if (!(await addCondition(tx, tenantId, { kind: item.kind, subject: key }, now))) return false
  for (const channel of channels.filter(({ kinds }) => kinds.includes(item.kind))) await addItem(tx, channel, item, now)
  return true
}

/** Channels of people who may sign in and have a role for the publisher. */
async function activeChannels(tx: Db, tenantId: string): Promise<readonly NotificationChannel[]> {
  const people = new Map((await listPeople(tx)).map((person) => [person.personId, person]))
  return (await channelsOf(tx, tenantId)).filter(({ personId }) => mayBeTold(people.get(personId), tenantId))
}
