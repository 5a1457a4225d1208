/**
 * Task schemas that the SDK's data does not hold under the manifest's path: the controller's (which the SDK has only as
 * code, so it is authored here) and task polling, whose official schemas lie in `core/`.
 */
export const OTHER_SCHEMAS: ReadonlyMap<string, SchemaPaths> = new Map(
  Object.entries({
    comply_test_controller: {
      request: 'own:comply-test-controller-request.json',
      response: 'own:comply-test-controller-response.json',
    },
    get_task_status: { request: 'core/tasks-get-request.json', response: 'core/tasks-get-response.json' },
    list_tasks: { request: 'core/tasks-list-request.json', response: 'core/tasks-list-response.json' },
    list_agent_publishers: {
      request: 'own:list-agent-publishers-request.json',
      response: 'own:list-agent-publishers-response.json',
    },
  }),
)

/** Relative paths of a task's request and response schema; `own:` marks ours. */
export interface SchemaPaths {
  readonly request: string
  readonly response: string
}

/**
 * Request schemas by which the release describes a task a second time, for another area: their top-level members are taken too (3.0 has
 * list_creative_formats for media buys and for creative agents).
 */
const FURTHER_REQUESTS: Readonly<Record<string, readonly string[]>> = {
  list_creative_formats: ['creative/list-creative-formats-request.json'],
}

/** Relative paths of further request schemas of a task. */
export function furtherRequestsOf(task: string): readonly string[] {
  return FURTHER_REQUESTS[task] ?? []
}

/** Whether a path names a schema of ours. */
export function isOwn(path: string): boolean {
  return path.startsWith('own:')
}
