import {
  listChangeSubscribers,
  subscribeToChanges,
  testChangeSubscriber,
  unsubscribeFromChanges,
} from '../../operator/changes/change-subscribers.ts'
import { required, text, texts } from '../../operator/fields.ts'
import { ADMINISTRATORS } from '../../operator/roles.ts'
import { list } from '../../operator/shape.ts'
import { type AdminOperation, operation } from '../operation.ts'

export const changeOperations: readonly AdminOperation[] = [
  operation('GET /change-subscribers', 'listChangeSubscribers', {
    roles: ADMINISTRATORS,
    summary: 'Addresses that get the changes of the publisher by signed webhooks, and how far each is.',
    fields: {},
    run: async (context, { tenantId }) => list(await listChangeSubscribers(context, tenantId)),
  }),
  operation('POST /change-subscribers', 'subscribeToChanges', {
    roles: ADMINISTRATORS,
    summary: 'Lets an address have every change from now on, by signed webhooks.',
    fields: {
      url: required(text('https address')),
      types: texts('acts or groups of acts, e.g. orders.pause, orders.*, create_media_buy; default: all'),
    },
    run: (context, { tenantId, values }) => subscribeToChanges(context, { tenantId, ...values }),
  }),
  operation('DELETE /change-subscribers/{subscriber}', 'unsubscribeFromChanges', {
    roles: ADMINISTRATORS,
    summary: 'Ends a subscription.',
    fields: {},
    async run(context, { tenantId, params }) {
      await unsubscribeFromChanges(context, { tenantId, subscriberId: params.subscriber })
      return { subscriber_id: params.subscriber, removed: true }
    },
  }),
  operation('POST /change-subscribers/{subscriber}/test', 'testChangeSubscriber', {
    roles: ADMINISTRATORS,
    summary: 'Sends a subscriber a change that is a test, within seconds.',
    fields: {},
    async run(context, { tenantId, params }) {
      await testChangeSubscriber(context, { tenantId, subscriberId: params.subscriber })
      return { subscriber_id: params.subscriber, queued: true }
    },
  }),
]
