import { eachLine, type Steps } from '../../platform/concurrency/steps.ts'

/** The name by which a robots.txt addresses this crawler. Publishers rely on it: it does not change. */
export const ROBOT = 'adcp-sales-agent-directory'

/** Characters of a robots.txt that are read, whatever its lines; RFC 9309 §2.5 asks for 500 KiB at least. */
const MAX_LENGTH = 512 * 1024

interface Rule {
  readonly allow: boolean
  readonly path: string
}

/**
 * Whether a robots.txt lets this crawler fetch a path. The groups that name the crawler count, or those for `*` when none does; the longest
 * path that is the start of the wanted one decides, `Allow` before `Disallow` where both are as long. Patterns (`*` and `$` inside
 * a path) match as RFC 9309 §2.2.3 has them. Source: RFC 9309 §2.2.
 */
export function* robotsAllow(robotsTxt: string, path: string): Steps<boolean> {
  const groups = { named: [] as Rule[], any: [] as Rule[], isNamed: false }
  let isFor = { named: false, any: false }
  let inRules = false
  yield* eachLine(robotsTxt.slice(0, MAX_LENGTH).replace(/^\uFEFF/, ''), (line) => {
    const [key, value] = fieldOf(line)
    if (key === 'user-agent') {
      const before = inRules ? { named: false, any: false } : isFor
      inRules = false
      isFor = { named: before.named || value.toLowerCase() === ROBOT, any: before.any || value === '*' }
      groups.isNamed ||= isFor.named
    } else if (key === 'allow' || key === 'disallow') {
      inRules = true
      const rule = { allow: key === 'allow', path: value }
      if (value !== '' && isFor.named) groups.named.push(rule)
      if (value !== '' && isFor.any) groups.any.push(rule)
    }
  })
  return yield* decide(groups.isNamed ? groups.named : groups.any, path)
}

/** Rules between two steps: some tenths of a millisecond. */
const RULES_OF_A_STEP = 512

function* decide(rules: readonly Rule[], path: string): Steps<boolean> {
  let best: Rule | undefined
  for (const [index, rule] of rules.entries()) {
    if (index % RULES_OF_A_STEP === RULES_OF_A_STEP - 1) yield
    if (!matches(rule.path, path)) continue
    const longer = rule.path.length - (best?.path.length ?? 0)
    if (longer > 0 || (longer === 0 && rule.allow)) best = rule
  }
  return best?.allow ?? true
}

/** Linear in the pattern and the path: each part between `*` is looked for once, from where the one before ended. */
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$')
  const [first = '', ...parts] = (isWhole ? pattern.slice(0, -1) : pattern).split('*')
  if (!path.startsWith(first)) return false
  let at = first.length
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1
    if (isLast && isWhole) return path.length - part.length >= at && path.endsWith(part)
    const found = path.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return !isWhole || at === path.length
}

function fieldOf(line: string): readonly [string, string] {
  const [field = ''] = line.split('#', 1)
  const colon = field.indexOf(':')
  return colon === -1 ? ['', ''] : [field.slice(0, colon).trim().toLowerCase(), field.slice(colon + 1).trim()]
}
