import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

/** A file that the pages load. */
export interface Asset {
  readonly type: string
  readonly body: Buffer
}

/** The files of the console under the names by which pages load them. */
export interface Assets {
  /** By the name with the hash of its content. */
  find(name: string): Asset | undefined
  /** Path of a file, with the hash of its content in it, so that browsers may keep it for good. */
  path(file: AssetName): string
}

export type AssetName = 'console.css' | 'console.js' | 'charts.js' | 'passkeys.js' | 'htmx.js' | 'uplot.js' | 'uplot.css'

const TYPES: Readonly<Record<string, string>> = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' }

/** Reads the files once: our own from `assets/console/`, the others from their npm packages. */
export function loadAssets(base: string): Assets {
  const { resolve } = createRequire(import.meta.url)
  const own = (name: string) => fileURLToPath(new URL(`../../assets/console/${name}`, import.meta.url))
  const files: Readonly<Record<AssetName, string>> = {
    'console.css': own('console.css'),
    'console.js': own('console.js'),
    'charts.js': own('charts.js'),
    'passkeys.js': own('passkeys.js'),
    'htmx.js': resolve('htmx.org/dist/htmx.min.js'),
    'uplot.js': resolve('uplot/dist/uPlot.iife.min.js'),
    'uplot.css': resolve('uplot/dist/uPlot.min.css'),
  }
  const named = Object.entries(files).map(([name, path]) => {
    const body = readFileSync(path)
    const [stem = '', extension = ''] = name.split('.')
    const hashed = `${stem}.${hash('sha256', body, 'hex').slice(0, 16)}.${extension}`
    return { name, hashed, asset: { type: TYPES[extension] ?? 'application/octet-stream', body } }
  })
  const byHash = new Map(named.map(({ hashed, asset }) => [hashed, asset]))
  const paths = new Map(named.map(({ name, hashed }) => [name, `${base}/assets/${hashed}`]))
  return { find: (name) => byHash.get(name), path: (file) => paths.get(file) ?? '' }
}
