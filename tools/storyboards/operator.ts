/** Something that people at the publisher do between two phases of one of our own stories: the runner has no word for it. */
export type Act =
  | {
      /** Words of the command line of the agent; a word may be `$context.<name>`. */
      readonly run: readonly string[]
      /** Values of what the command printed (as JSON), by the name under which the story goes on with them. */
      readonly keep?: Readonly<Record<string, string>>
      /** Values that it has to print, by their path. */
      readonly expect?: Readonly<Record<string, unknown>>
    }
  /** A publisher puts its adagents.json where crawlers find it, and the directory crawls it. */
  | { readonly publish: { readonly domain: string; readonly adagents: object } }

/** How acts are done; the tool does them on the store of the agent under test. */
export interface Operator {
  /** Runs a command; gives what it printed as JSON. Throws when it fails. */
  command(args: readonly string[]): Promise<unknown>
  publish(domain: string, adagents: object): Promise<void>
}

export type Values = Readonly<Record<string, unknown>>

/**
 * Does one act; gives the values that it keeps.
 * @throws Error when a command fails, prints what is not expected, or lacks what is to be kept
 */
export async function perform(act: Act, operator: Operator, context: Values): Promise<Values> {
  if ('publish' in act) {
    const { domain, adagents } = withValues(act.publish, context)
    await operator.publish(domain, adagents)
    return {}
  }
  const printed = await operator.command(withValues(act.run, context).map(String))
  const name = act.run.join(' ')
  for (const [path, wanted] of Object.entries(withValues(act.expect ?? {}, context))) {
    const found = valueAt(printed, path)
    if (JSON.stringify(found) !== JSON.stringify(wanted))
      throw new Error(`${name}: ${path} is ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`)
  }
  return Object.fromEntries(
    Object.entries(act.keep ?? {}).map(([key, path]) => {
      const found = valueAt(printed, path)
      if (found === undefined) throw new Error(`${name} printed no ${path}`)
      return [key, found]
    }),
  )
}

/**
 * A copy in which every text that is `$context.<name>` is replaced by the value of that name.
 * @throws Error when there is no such value
 */
export function withValues<T>(template: T, context: Values): T
export function withValues(template: unknown, context: Values): unknown {
  if (Array.isArray(template)) return template.map((item) => withValues(item, context))
  if (typeof template === 'object' && template !== null)
    return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, withValues(value, context)]))
  const name = typeof template === 'string' ? /^\$context\.(\w+)$/.exec(template)?.[1] : undefined
  if (name === undefined) return template
  if (context[name] === undefined) throw new Error(`nothing before gave $context.${name}`)
  return context[name]
}

/** The value at a path such as `items[0].id`; undefined when there is none. */
export function valueAt(value: unknown, path: string): unknown {
  let found = value
  for (const part of path.split(/[.[\]]+/).filter(Boolean)) {
    if (typeof found !== 'object' || found === null) return undefined
    found = new Map(Object.entries(found)).get(part)
  }
  return found
}
