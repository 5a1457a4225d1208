import { eachLine, type Steps } from '../../../platform/concurrency/steps.ts'
import { publisherDomain } from '../publisher-domain.ts'
import type { HostProperty } from './read-manifest.ts'
import type { PartnerFile } from './types.ts'

/** Where a kind of property declares its sellers; a kind that is not here has no such file. Source: IAB ads.txt 1.1, app-ads.txt 1.0. */
const FILE_OF_TYPE: Readonly<Record<string, PartnerFile>> = {
  website: 'ads.txt',
  ctv_app: 'app-ads.txt',
  mobile_app: 'app-ads.txt',
  desktop_app: 'app-ads.txt',
}

/** The files of the host to ask for some properties. Without any, either file will do. */
export function partnerFiles(properties: readonly HostProperty[]): {
  readonly files: readonly PartnerFile[]
  readonly requireAll: boolean
} {
  if (properties.length === 0) return { files: ['app-ads.txt', 'ads.txt'], requireAll: false }
  const files = new Set(properties.flatMap(({ type }) => FILE_OF_TYPE[type] ?? []))
  return { files: [...files].sort(), requireAll: true }
}

/** Partners that all of some lists name, or any of them; null when what is needed for an answer is not available. */
export function combinePartners(lists: readonly (readonly string[] | null)[], requireAll: boolean): readonly string[] | null {
  const [first, ...others] = lists.filter((list) => list !== null)
  if (first === undefined || (requireAll && others.length + 1 < lists.length)) return null
  if (!requireAll) return [...new Set([first, ...others].flat())]
  const named = others.map((list) => new Set(list))
  return first.filter((domain) => named.every((list) => list.has(domain)))
}

/** The domains that the `INVENTORYPARTNERDOMAIN` lines of an ads.txt or app-ads.txt name. Source: IAB ads.txt 1.1, §3.5. */
export function* inventoryPartners(text: string): Steps<readonly string[]> {
  const domains = new Set<string>()
  yield* eachLine(text, (line) => {
    const [statement = ''] = line.split('#', 1)
    const equals = statement.indexOf('=')
    if (statement.slice(0, equals).trim().toLowerCase() !== 'inventorypartnerdomain') return
    const domain = publisherDomain(statement.slice(equals + 1))
    if (domain !== undefined) domains.add(domain)
  })
  return [...domains]
}
