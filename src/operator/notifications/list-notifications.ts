import { DELIVERY_STATES } from '../../domain/delivery-state.ts'
import { CHANNELS, NOTIFICATION_KINDS } from '../../domain/notification/notification.ts'
import { listMessages } from '../../store/notification/notification-outbox.ts'
import { listPeople } from '../../store/people/people.ts'
import { defineAct } from '../act.ts'
import { STATE } from '../delivery-state.ts'
import { between, count, DEFAULT_PAGE } from '../fields.ts'
import { ADMINISTRATORS } from '../roles.ts'
import { integer, list, listOf, moment, object, orNull, pageOf, string, word } from '../shape.ts'
import { userName } from '../text-form.ts'
import { personNamed } from './manage-channels.ts'

const MAX_LISTED = 500

const message = object({
  delivery_id: string,
  username: string,
  channel: word(...CHANNELS),
  items: listOf(object({ kind: word(...NOTIFICATION_KINDS, 'test', 'report', 'account'), subject: string, text: string })),
  more: integer,
  state: word(...DELIVERY_STATES),
  attempts: integer,
  next_attempt_at: orNull(moment),
  last_error: orNull(string),
  created_at: moment,
  settled_at: orNull(moment),
})

/** Messages to the people of a publisher. Throws REFERENCE_NOT_FOUND for an unknown person. */
export const listNotifications = defineAct({
  name: 'notifications.sent',
  route: 'GET /notifications',
  id: 'listNotifications',
  roles: ADMINISTRATORS,
  summary: 'Messages to the people of the publisher, newest first.',
  fields: {
    username: userName('to one person'),
    state: STATE,
    limit: between(1, MAX_LISTED, count(`messages at most, 1 to ${MAX_LISTED}; default 50`)),
  },
  answer: pageOf(message),
  command: {
    help: 'messages to people, newest first',
    flags: { username: 'person' },
    columns: [
      ['CREATED', (each) => each.created_at],
      ['PERSON', ({ username }) => username],
      ['CHANNEL', ({ channel }) => channel],
      ['STATE', ({ state }) => state],
      ['TRIES', ({ attempts }) => String(attempts)],
      ['TEXT', ({ items }) => items[0]?.text ?? ''],
      ['LAST', (each) => each.last_error ?? ''],
    ],
  },
  async run({ store, tenantId }, { username, state, limit = DEFAULT_PAGE }) {
    const people = await listPeople(store.read)
    const personId = username === undefined ? undefined : personNamed(people, tenantId, username).personId
    const names = new Map(people.map((each) => [each.personId, each.username]))
    const messages = await listMessages(store.read, tenantId, { personId, state, limit })
    const shown = messages.map((message) => ({
      delivery_id: message.deliveryId,
      username: names.get(message.personId) ?? '',
      channel: message.channel,
      items: message.document.items.map(({ kind, subject, text }) => ({ kind, subject, text })),
      more: message.document.more,
      state: message.state,
      attempts: message.attempts,
      next_attempt_at: message.state === 'pending' ? message.nextAttemptAt : null,
      last_error: message.lastError ?? null,
      created_at: message.createdAt,
      settled_at: message.settledAt ?? null,
    }))
    return list(shown)
  },
})
