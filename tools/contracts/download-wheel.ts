import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PINNED_WHEEL } from './pinned-wheel.ts'

/** How pip is started, in the order of trying. */
const PIPS = [['python3', '-m', 'pip'], ['pip3'], ['pip']] as const

/** Without an answer for this long the network counts as absent. */
const ANSWER_SECONDS = 10
/** 51 MB at 3 Mbit/s. */
const WHOLE_MS = 150_000

/**
 * Downloads the pinned wheel with pip, which compares the hash, and gives what `keep` makes of it. Gives the reason as text where it cannot be had: no
 * pip, no network, or another file. The wheel asks for a newer Python than may be there; it is never installed.
 */
export async function downloadWheel<T>(keep: (downloaded: string) => Promise<T>): Promise<T | string> {
  const folder = mkdtempSync(join(tmpdir(), 'adcp-wheel-'))
  try {
    const requirements = join(folder, 'requirements.txt')
    writeFileSync(requirements, `${PINNED_WHEEL.requirement} --hash=sha256:${PINNED_WHEEL.sha256}\n`)
    const reason = runPip([
      'download',
      ...['--no-deps', '--only-binary=:all:', '--python-version', '3.12', '--require-hashes'],
      ...['--timeout', String(ANSWER_SECONDS), '--retries', '0', '--no-input', '--quiet', '--disable-pip-version-check'],
      ...['--dest', folder, '--requirement', requirements],
    ])
    if (reason !== undefined) return reason
    const downloaded = join(folder, PINNED_WHEEL.file)
    return existsSync(downloaded) ? await keep(downloaded) : `pip did not leave ${PINNED_WHEEL.file}`
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function runPip(args: readonly string[]): string | undefined {
  for (const [program, ...first] of PIPS) {
    const { status, error, stderr } = spawnSync(program, [...first, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: WHOLE_MS,
      maxBuffer: 4 * 1024 * 1024,
    })
    if (status === 0) return undefined
    const isAbsent = (error && 'code' in error && error.code === 'ENOENT') || /No module named pip\b/.test(stderr ?? '')
    if (!isAbsent) return error ? `pip did not end: ${error.message}` : `pip failed: ${lastLine(stderr ?? '')}`
  }
  return 'pip, the package installer of Python, is not installed'
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.slice(0, 300) || 'no reason given'
}
