import type { Act } from '../act.ts'
import { addToRegistry, listRegistry, refreshRegistry, removeFromRegistry } from './manage-registry.ts'

/** What can be done with the registry of agents, in the order of the help. */
export const registryActs: readonly Act[] = [addToRegistry, listRegistry, refreshRegistry, removeFromRegistry]
