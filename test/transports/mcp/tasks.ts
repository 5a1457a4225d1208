import { defineTask, type Task } from '../../../src/pipeline/task.ts'

function task(name: string, summary: string, aliases: readonly string[] = []): Task {
  return defineTask()({ name, summary, aliases, access: 'public', scope: 'products', handle: async () => ({}) })
}

/** Stand-ins with the names of the real tasks; the transport needs no more than name, aliases and summary. */
export const issueTasks: readonly Task[] = [
  task('get_adcp_capabilities', 'Says which protocols, features and limits this seller supports.'),
  task('list_creative_formats', 'Lists the creative formats this seller accepts.'),
  task('get_products', 'Finds advertising products for a brief, by filters, or refines an earlier answer.'),
  task('sync_accounts', 'Declares the advertiser accounts that the buyer works for.'),
  task('list_accounts', 'Lists the accounts that the buyer may use.'),
  task('create_media_buy', 'Books a campaign of one or more packages.'),
  task('update_media_buy', 'Changes, pauses, resumes or cancels a media buy.'),
  task('get_media_buys', 'Reads media buys with their packages and status.'),
  task('get_media_buy_delivery', 'Reports delivery and spend of media buys.'),
  task('sync_creatives', 'Uploads creatives and assigns them to packages.'),
  task('list_creatives', 'Lists the creatives in the library.'),
  task('provide_performance_feedback', 'Tells the seller how a media buy performs.'),
  task('preview_creative', 'Renders a preview of a creative.'),
  task('comply_test_controller', 'Seeds and forces state of a sandbox account for compliance tests.'),
  task('get_task_status', 'Reads the status and result of an asynchronous task.', ['tasks/get', 'tasks_get']),
]
