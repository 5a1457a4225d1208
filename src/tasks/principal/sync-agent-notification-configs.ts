import type { NotificationConfig, ShownSubscriber } from '../../domain/account/notification-configs.ts'
import { defineTask } from '../../pipeline/task.ts'
import { findConfiguration } from '../../store/identity/principal-configurations.ts'
import { proveAgentSubscribers, type Replaced, replaceSubscribers, type Wanted } from './replace-subscribers.ts'

/** AdCP 3.2, protocol/sync-agent-notification-configs-request.json. */
interface Request {
  readonly notification_configs: readonly NotificationConfig[]
  readonly dry_run?: boolean
}

interface Response {
  readonly action: Replaced['action']
  readonly notification_configs: readonly ShownSubscriber[]
  readonly dry_run: boolean
}

export const syncAgentNotificationConfigs = defineTask<Request, Response>()({
  name: 'sync_agent_notification_configs',
  since: '3.2',
  mutating: true,
  access: 'authenticated',
  ofPrograms: true,
  scope: 'accounts',
  summary: 'Replace your webhooks for changes of capabilities.',
  prepare: (request, context) => proveAgentSubscribers(wantedOf(request), context),
  async handle(request, context) {
    const { dry_run: dryRun = false } = request
    const { action, subscribers } = await replaceSubscribers(wantedOf(request), context)
    const shown = dryRun ? ((await findConfiguration(context.tx, context.principal))?.subscribers ?? []) : subscribers
    return { action, notification_configs: shown, dry_run: dryRun }
  },
})

function wantedOf({ notification_configs: configs, dry_run: dryRun = false }: Request): Wanted {
  return { configs, field: 'notification_configs', dryRun }
}
