import { inspectChains } from '../../features/audit/inspect-chains.ts'
import { inspectStore } from '../../store/inspect/inspect.ts'
import { inspectAnswers } from '../../store/inspect/inspect-answers.ts'
import { storeName, storePath } from '../../store/open.ts'
import { sqliteProblems } from '../../store/sqlite/sqlite-bulk.ts'
import type { OperatorContext } from '../operator-context.ts'

/** Whether every table keeps its rules, every acknowledged media buy is still stored, and the logs are unbroken; with examples of rows that break a rule. */
export async function inspectDeployment({ store, config }: Pick<OperatorContext, 'store' | 'config'>) {
  const { found } = await store.findDamage()
  if (found.length > 0) {
    const problems = found.map((rule) => ({ table: '', rule: `is sound: ${rule}`, examples: [] }))
    // Rows on a damaged page cannot be read: what the rules say of the others would be about half a store.
    return { store: storeName(config), sound: false, tables: 0, rules: 0, answers: 0, links: 0, problems }
  }
  const { tables, rules, problems: broken } = await inspectStore(store.read)
  const { answers, problems: unanswered } = await inspectAnswers(store.read)
  const { links, problems: unchained } = await inspectChains(store.read)
  const engine = config.database === undefined ? sqliteProblems(storePath(config.data)) : []
  const problems = [...engine.map((rule) => ({ table: '', rule, examples: [] })), ...broken, ...unanswered, ...unchained]
  return { store: storeName(config), sound: problems.length === 0, tables, rules, answers, links, problems }
}
