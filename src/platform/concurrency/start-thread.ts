import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/**
 * Starts a thread with a program that lies beside the caller (`import.meta.url`), by its name without extension: as it was built, or from its source, which
 * only tsx can load.
 */
export function startThread(caller: string, name: string, given: WorkerOptions): Worker {
  const isSource = caller.endsWith('.ts')
  const program = new URL(`${name}.${isSource ? 'ts' : 'js'}`, caller)
  const options = { execArgv: [], env: {}, ...given }
  if (!isSource) return new Worker(program, options)
  const tsx = new URL('dist/esm/api/index.mjs', pathToFileURL(createRequire(import.meta.url).resolve('tsx/package.json'))).href
  const load = `import(${JSON.stringify(tsx)}).then(({ register }) => { register(); return import(${JSON.stringify(program.href)}) })`
  return new Worker(load, { ...options, eval: true })
}
