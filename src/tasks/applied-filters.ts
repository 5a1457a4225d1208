import type { PublicContext } from '../pipeline/task.ts'

/** Names of the filters that a list was narrowed by (`query_summary.filters_applied`): those of the release that the tasks are written in. */
export function appliedFilters(task: string, filters: object, { services }: PublicContext): string[] {
  const known = services.contracts.base.schemas.requestPlace(task)?.declared('filters')?.names
  return Object.keys(filters).filter((name) => known?.has(name))
}
