import { type Finding, ok, problem } from '../../features/doctor/finding.ts'
import type { OperatorContext } from '../operator-context.ts'

const CHECK = 'store'
const ADVICE =
  'stop the server, keep a copy of the file as it is, and restore a backup (docs/operations.md, "Backup"); check the disk'

/** Whether the store takes writes and holds no damaged page. Never throws for what it finds. */
export async function examineStore({ store }: Pick<OperatorContext, 'store'>): Promise<readonly Finding[]> {
  const fault = await store.writeFault()
  const writes = fault === undefined ? [] : [problem(CHECK, `takes no writes: ${fault}`, 'make room, or make it writable again')]
  try {
    const { found, covers } = await store.findDamage()
    const damage = found.map((text) => problem(CHECK, `is damaged: ${text}`, ADVICE))
    return damage.length > 0 ? [...writes, ...damage] : [...writes, ok(CHECK, covers)]
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    return [...writes, problem(CHECK, `was not checked for damage: ${text}`, 'see whether the store answers')]
  }
}
