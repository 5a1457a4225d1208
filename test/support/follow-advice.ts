/** Arguments of a call, of any shape. */
// biome-ignore lint/suspicious/noExplicitAny: wrong requests have any shape
type Any = any

/** What a message says to do with a member: to send a value there, or to send it elsewhere. */
interface Advice {
  readonly path: string
  readonly value?: unknown
  readonly moveTo?: string
  readonly asList?: boolean
}

const STEP = /[^.[\]]+/g

const stepsOf = (path: string) => path.match(STEP) ?? []

/** Follows every advice of an error's message, as a program can read it: `; send X`, `did you mean "X"?`, `is not known here; did you mean Y?`. Undefined where it has none of these. */
export function followAdvice(
  args: object,
  message: string,
): { readonly args: object; readonly paths: readonly string[] } | undefined {
  const faults = /^\d+ faults: /.test(message) ? message.split(/(?:^\d+ faults: |; )\(\d+\) /).slice(1) : [message]
  // What is beside a fault is a sentence of its own: "…; packages[0].product_id "newz" is no product …".
  const each = faults.flatMap((fault) => fault.split(/; (?=[\w.]+\[\d+\]\.\w+ "[^"]*" is no )/))
  const advice = each.flatMap((fault) => adviceIn(fault) ?? [])
  if (advice.length === 0) return undefined
  const copy: Any = structuredClone(args)
  for (const one of advice) apply(copy, one)
  return { args: copy, paths: advice.map(({ path, moveTo }) => moveTo ?? path) }
}

function adviceIn(fault: string): Advice | undefined {
  const [path = ''] = /^[\w.[\]]+/.exec(fault) ?? []
  const [, to, form] = /is not known here; did you mean ([\w.[\]]+)(?: \((.*)\))?\?$/.exec(fault) ?? []
  if (to !== undefined) return movedTo(path, to, form)
  if (/is not known here/.test(fault)) return undefined
  const [, revision] = /; the media buy is at (\d+)$/.exec(fault) ?? []
  if (revision !== undefined) return { path, value: Number(revision) }
  const [, sent] = /; send ("[^"]*"|[\d.]+|true|false|\{[^}]*\}|\[[^\]]*\])(?:;|,| or|$)/.exec(fault) ?? []
  if (sent !== undefined) return { path, value: JSON.parse(sent) }
  const [, quoted, word] = /; did you mean (?:"([^"]+)"|([\w-]+)(?: or [\w-]+)?)\?/.exec(fault) ?? []
  const [, agent_url] = / Its agent_url there is (\S+)$/.exec(fault) ?? []
  if (agent_url !== undefined) return { path, value: { agent_url, id: quoted } }
  const value = quoted ?? word
  return value === undefined || path === 'there' ? undefined : { path, value }
}

/** A name alone is one of the same object; a path with `[]` means the first entry. */
function movedTo(path: string, to: string, form: string | undefined): Advice {
  const owner = path.slice(0, Math.max(0, path.lastIndexOf('.')))
  const isAlone = !/[.[]/.test(to)
  const moveTo = (isAlone && owner !== '' ? `${owner}.${to}` : to).replaceAll('[]', '[0]')
  const value = form === 'true' ? true : /^[[{"]/.test(form ?? '') ? jsonIn(form ?? '') : undefined
  return { path, moveTo, ...(value !== undefined && { value }), asList: form === 'a list' }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function apply(args: Any, { path, value, moveTo, asList }: Advice): void {
  if (moveTo === undefined) {
    const own = at(args, path)
    const isObject = typeof own === 'object' && own !== null && !Array.isArray(own) && typeof value === 'string'
    set(args, isObject ? `${path}.id` : path, value)
    return
  }
  const own = at(args, path)
  set(args, path, undefined)
  const [, row, member] = /^(.+)\[0\]\.(\w+)$/.exec(moveTo) ?? []
  if (row !== undefined && Array.isArray(own) && value === undefined && !asList) {
    // A list of what each entry has one of: an entry each; objects are entries already.
    for (const [index, each] of own.entries())
      set(args, typeof each === 'object' ? `${row}[${index}]` : `${row}[${index}].${member}`, each)
    return
  }
  set(args, moveTo, value ?? (asList && !Array.isArray(own) ? [own] : own))
}

function at(args: Any, path: string): Any {
  return stepsOf(path).reduce((value, step) => value?.[step], args)
}

function set(args: Any, path: string, value: unknown): void {
  const steps = stepsOf(path)
  const last = steps.pop() ?? ''
  let owner = args
  for (const [index, step] of steps.entries()) {
    const isList = /^\d+$/.test(steps[index + 1] ?? last)
    if (typeof owner[step] !== 'object' || owner[step] === null) owner[step] = isList ? [] : {}
    owner = owner[step]
  }
  if (value === undefined && !Array.isArray(owner)) delete owner[last]
  else owner[last] = value
}
