/** Tasks for which enums/task-type.json of 3.0 and 3.1 has no value, with the value of what they continue. */
const CONTINUED: Readonly<Record<string, string>> = { update_rights: 'acquire_rights' }

/** The type of the task that a call of an operation starts (AdCP enums/task-type), as polling and webhooks name it. */
export function taskTypeOf(operation: string): string {
  return CONTINUED[operation] ?? operation
}
