import type { StandardsDocument } from '../../domain/content-standards/content-standards.ts'
import type { Work } from '../../pipeline/task.ts'

/** A character of a policy or an exemplar is cut into words, and looked up, once in a call. */
const STEPS_OF_A_CHARACTER = 2

/** What it costs to read standards once, however little is judged by them. */
export function readingWork({ policies, exemplars }: Pick<StandardsDocument, 'policies' | 'exemplars'>): Work {
  const characters = JSON.stringify({ policies, exemplars }).length
  return {
    steps: STEPS_OF_A_CHARACTER * characters,
    product: `${policies.length} policies and their exemplars, ${characters} characters,`,
    field: 'standards_id',
    suggestion: 'divide the standards into several with update_content_standards and create_content_standards',
  }
}
