import { hideOptions, type ModuleChoice, resolveModule } from './module-choice.ts'

/** What the publisher may connect in place of what this program brings along (docs/own-systems.md). */
export const CONNECTIONS = [
  'identityGraph',
  'artifacts',
  'contentClassifier',
  'siHost',
  'creativeBuilder',
  'creativeEvaluator',
  'ranking',
] as const
export type ConnectionName = (typeof CONNECTIONS)[number]

/** A module that is waited for no longer than this; absent: two seconds. */
interface TimedChoice extends ModuleChoice {
  readonly timeoutMs?: number
}

/** The modules of the publisher's own systems, by what they are. */
export type ConnectionSettings = { readonly [N in ConnectionName]?: N extends 'ranking' ? TimedChoice : ModuleChoice }

/** The same settings with the paths of modules made absolute. */
export function resolveConnections(connect: ConnectionSettings, folder: string): ConnectionSettings {
  return each(connect, (choice) => resolveModule(choice, folder))
}

/** The same settings without the values of options. */
export function redactedConnections(connect: ConnectionSettings): ConnectionSettings {
  return each(connect, hideOptions)
}

function each(connect: ConnectionSettings, change: (choice: ModuleChoice) => ModuleChoice): ConnectionSettings {
  return Object.fromEntries(Object.entries(connect).map(([name, choice]) => [name, change(choice)]))
}
