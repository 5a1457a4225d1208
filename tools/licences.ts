import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Metafile } from 'esbuild'

const modules = fileURLToPath(new URL('../node_modules', import.meta.url))

/** The licences of the packages whose files are in a bundle, and of `others`: text for a file beside it. */
export function licencesOf({ inputs }: Pick<Metafile, 'inputs'>, others: readonly string[] = []): string {
  const packages = new Set(others)
  for (const input of Object.keys(inputs)) {
    const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input) ?? []
    if (name !== undefined) packages.add(name)
  }
  return [...packages].sort().map(licenceOf).join('\n\n')
}

/** The licence of a package as it ships it, or the name of it. */
function licenceOf(name: string): string {
  const folder = join(modules, name)
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each))
  const text =
    file !== undefined && existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8').trim() : `Licence: ${license}`
  return `== ${name} ${version}\n${text}`
}
