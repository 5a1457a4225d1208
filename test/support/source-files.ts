import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const repository = fileURLToPath(new URL('../..', import.meta.url))
export const sourceFolder = join(repository, 'src')

/** Every module of a folder, with what it imports; paths are relative to the folder. */
export function filesIn(folder: string) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      const text = readFileSync(path, 'utf8')
      return { path: relative(folder, path), text, imports: importsOf(path, text, folder) }
    })
}

/** Specifiers of imports and re-exports, of modules that are loaded later too; `typeOnly` ones vanish from the program. */
export function importsOf(path: string, text: string, folder: string): { target: string; typeOnly: boolean }[] {
  const atOnce = [...text.matchAll(/^(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm)]
  const later = [...text.matchAll(/\b(typeof )?import\('([^']+)'\)/g)]
  return [...atOnce, ...later].map(([, typeOnly, specifier = '']) => ({
    target: specifier.startsWith('.') ? relative(folder, resolve(dirname(path), specifier)) : specifier,
    typeOnly: typeOnly !== undefined,
  }))
}
