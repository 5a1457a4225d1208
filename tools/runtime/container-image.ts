import { execFile, spawn, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { obtainNode } from './other-node.ts'

const execute = promisify(execFile)
const repository = fileURLToPath(new URL('../..', import.meta.url))
const IMAGE = 'localhost/adcp-sales-agent'
/** The Debian that the recipe's own base is made of. */
const DEBIAN = 'bookworm'

/** Builds images of containers by Debian's buildah, without a daemon and without pulling one. */
export interface ImageBuilder {
  /** Builds `deploy/Dockerfile`. Throws with the end of the log. */
  build(): Promise<{ readonly bytes: number; readonly user: string }>
  /** Runs a program in the image, as its user and with its environment. */
  run(...command: readonly string[]): { readonly status: number | null; readonly output: string }
  /** Starts the image's own program with these arguments; gives what ends it. */
  start(...args: readonly string[]): () => void
  remove(): Promise<void>
}

/** What is needed to build images, or the reason why this machine cannot. */
export async function imageBuilder(): Promise<ImageBuilder | string> {
  if (process.getuid?.() !== 0) return 'only root may make a base system'
  for (const tool of ['buildah', 'debootstrap', 'apt-get'])
    if (spawnSync('sh', ['-c', `command -v ${tool}`]).status !== 0) return `${tool} is not installed`
  const folder = mkdtempSync(join(tmpdir(), 'image-'))
  const reason = await makeBase(join(folder, 'base'))
  if (reason !== undefined) {
    rmSync(folder, { recursive: true, force: true })
    return reason
  }
  return builderIn(folder)
}

/** A Debian with Node 24, npm and pip, as the recipe's own base has them. */
async function makeBase(base: string): Promise<string | undefined> {
  const node = obtainNode(24)
  if (typeof node === 'string') return node
  const mirror = textOf('apt-get', ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages']).split('\n', 1)[0] ?? ''
  const options = ['--variant=minbase', '--include=python3-pip,ca-certificates', DEBIAN, base, mirror]
  try {
    await execute('debootstrap', options, { maxBuffer: 64 << 20 })
  } catch (error) {
    return `no Debian could be made: ${endOf(error)}`
  }
  const modules = join(base, 'usr/local/lib/node_modules')
  mkdirSync(modules, { recursive: true })
  cpSync(node.executable, join(base, 'usr/local/bin/node'))
  chmodSync(join(base, 'usr/local/bin/node'), 0o755)
  cpSync(join(textOf('npm', ['root', '-g']), 'npm'), join(modules, 'npm'), { recursive: true, dereference: true })
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(base, 'usr/local/bin/npm'))
  return undefined
}

function builderIn(folder: string): ImageBuilder {
  const at = (name: string) => join(folder, name)
  const common = ['--root', at('containers'), '--runroot', at('run'), '--storage-driver', 'vfs']
  const buildah = async (...args: readonly string[]) => {
    try {
      const { stdout } = await execute('buildah', [...common, ...args], { maxBuffer: 64 << 20 })
      return stdout.trim()
    } catch (error) {
      throw new Error(`buildah ${args[0]}: ${endOf(error)}`, { cause: error })
    }
  }
  const bud = (...args: readonly string[]) => buildah('bud', '--isolation', 'chroot', '--pull-never', ...args)
  writeFileSync(at('base.dockerfile'), 'FROM scratch\nCOPY . /\n')
  // Packages that npm has, where it asks for others, whom it trusts, and the releases that are made.
  const mounts = [
    [textOf('npm', ['config', 'get', 'cache']), '/root/.npm'],
    [textOf('npm', ['config', 'get', 'globalconfig']), '/usr/local/etc/npmrc:ro'],
    ['/etc/ssl/certs', '/etc/ssl/certs:ro'],
    [join(repository, '.cache'), '/build/.cache'],
  ].flatMap(([from, to]) => ['--volume', `${from}:${to}`])
  let container = ''
  const running = () => [...common, 'run', '--isolation', 'chroot', container, '--']
  return {
    async build() {
      await bud('--file', at('base.dockerfile'), '--tag', 'base', at('base'))
      const recipe = join(repository, 'deploy/Dockerfile')
      await bud(
        '--format',
        'docker',
        '--build-arg',
        'BASE=localhost/base',
        ...mounts,
        '--file',
        recipe,
        '--tag',
        IMAGE,
        repository,
      )
      container = await buildah('from', IMAGE)
      const { OCIv1: image } = JSON.parse(await buildah('inspect', '--type', 'image', IMAGE))
      const root = await buildah('mount', container)
      const bytes = Number(textOf('du', ['--bytes', '--summarize', root]).split('\t', 1)[0])
      return { bytes, user: image.config.User }
    },
    run(...command) {
      const { status, stdout, stderr } = spawnSync('buildah', [...running(), ...command], { encoding: 'utf8' })
      return { status, output: stdout + stderr }
    },
    start(...args) {
      const child = spawn('buildah', [...running(), 'node', 'dist/cli/sales-agent.js', ...args], {
        detached: true,
        stdio: 'ignore',
      })
      return () => {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
      }
    },
    async remove() {
      if (container !== '') await buildah('rm', container)
      await buildah('rmi', '--all', '--force')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The end of what a program wrote before it failed. */
function endOf(error: unknown): string {
  const { stdout, stderr } = error as { readonly stdout?: string; readonly stderr?: string }
  return `${stdout ?? ''}\n${stderr ?? ''}`.trim().slice(-3_000) || String(error)
}

function textOf(command: string, args: readonly string[]): string {
  return spawnSync(command, args, { encoding: 'utf8' }).stdout?.trim() ?? ''
}
