import type { Act } from '../act.ts'
import { listWebhooks } from './list-webhooks.ts'
import { redeliverWebhook } from './redeliver-webhook.ts'
import { showWebhook } from './show-webhook.ts'

/** What can be done with notifications to buyers, in the order of the help. */
export const webhookActs: readonly Act[] = [listWebhooks, showWebhook, redeliverWebhook]
