import { ADMIN_ROLES } from '../../domain/identity/admin-role.ts'
import { createAdminKey, endAdminKey, showAdminKeys } from '../../operator/admin-keys/admin-keys.ts'
import { count, oneOf, required, text, texts } from '../../operator/fields.ts'
import { listNotifications } from '../../operator/notifications/list-notifications.ts'
import {
  CHANNELS,
  listChannels,
  NOTIFICATION_KINDS,
  removeChannel,
  setChannel,
} from '../../operator/notifications/manage-channels.ts'
import { testChannel } from '../../operator/notifications/test-channel.ts'
import { ADMINISTRATORS } from '../../operator/roles.ts'
import { list } from '../../operator/shape.ts'
import { type AdminOperation, operation } from '../operation.ts'

const ROLE = required(oneOf(ADMIN_ROLES, 'what they may do'))

export const peopleOperations: readonly AdminOperation[] = [
  operation('GET /admin-keys', 'listAdminKeys', {
    roles: ADMINISTRATORS,
    summary: 'Keys of this API, never their tokens.',
    fields: {},
    run: async (context, { tenantId }) => list(await showAdminKeys(context, tenantId)),
  }),
  operation('POST /admin-keys', 'createAdminKey', {
    roles: ADMINISTRATORS,
    summary: 'Makes a key of this API; the token is in this answer and nowhere else.',
    fields: { name: required(text('what it is for')), role: ROLE, expires: text('ISO date, or a span such as 90d') },
    run: (context, { tenantId, values }) => createAdminKey(context, { tenantId, ...values }),
  }),
  operation('POST /admin-keys/{key}/revoke', 'revokeAdminKey', {
    roles: ADMINISTRATORS,
    summary: 'Ends a key of this API now.',
    fields: {},
    async run(context, { tenantId, params }) {
      await endAdminKey(context, tenantId, params.key)
      return { key_id: params.key, revoked: true }
    },
  }),
]

export const notificationOperations: readonly AdminOperation[] = [
  operation('GET /notifications', 'listNotifications', {
    roles: ADMINISTRATORS,
    summary: 'Messages to the people of the publisher, newest first.',
    fields: {
      username: text('to one person'),
      state: oneOf(['pending', 'delivered', 'dead'], 'dead: given up'),
      limit: count('messages at most, 1 to 500; default 50'),
    },
    run: async (context, { tenantId, values }) => list(await listNotifications(context, { tenantId, ...values })),
  }),
  operation('GET /notification-channels', 'listChannels', {
    roles: ADMINISTRATORS,
    summary: 'Where people are notified, and of what.',
    fields: { username: text('of one person') },
    run: async (context, { tenantId, values }) => list(await listChannels(context, { tenantId, ...values })),
  }),
  operation('PUT /notification-channels/{username}/{channel}', 'setChannel', {
    roles: ADMINISTRATORS,
    summary: `Adds or changes a channel of a person: ${CHANNELS.join(', ')}.`,
    fields: {
      address: text('mail address, or https URL; a new channel needs one'),
      kinds: texts(`of ${NOTIFICATION_KINDS.join(', ')}; default: all`),
      timing: oneOf(['at_once', 'digest'], 'default: at_once'),
      digest_hour: count('0 to 23, in the publisher’s time zone; default: 7'),
    },
    run: (context, { tenantId, params, values: { digest_hour: digestHour, ...settings } }) =>
      setChannel(context, { tenantId, username: params.username, channel: params.channel, digestHour, ...settings }),
  }),
  operation('DELETE /notification-channels/{username}/{channel}', 'removeChannel', {
    roles: ADMINISTRATORS,
    summary: 'Removes a channel of a person.',
    fields: {},
    async run(context, { tenantId, params }) {
      await removeChannel(context, { tenantId, username: params.username, channel: params.channel })
      return { username: params.username, channel: params.channel, removed: true }
    },
  }),
  operation('POST /notification-channels/{username}/{channel}/test', 'testChannel', {
    roles: ADMINISTRATORS,
    summary: 'Sends a test message now.',
    fields: {},
    run: (context, { tenantId, params }) =>
      testChannel(context, { tenantId, username: params.username, channel: params.channel }),
  }),
]
