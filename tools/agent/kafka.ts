import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort } from './child.ts'

const POM = fileURLToPath(new URL('../../test/clients/kafka-broker/pom.xml', import.meta.url))
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/java-clients', import.meta.url))
const CALL_MS = 240_000
const START_MS = 120_000
const run = promisify(execFile)

/** Apache Kafka on free loopback ports, with its data in a temporary folder. */
export interface TestKafka {
  /** `host:port` of every node. */
  readonly brokers: readonly string[]
  /** Kills a node (SIGKILL); `start` brings its data back. */
  crash(node?: number): Promise<void>
  start(node?: number): Promise<void>
  /** Stops a node from doing anything (SIGSTOP), or lets it go on. */
  pause(node?: number): void
  goOn(node?: number): void
  /** Ends all nodes and removes their data. */
  stop(): Promise<void>
}

/** Class path of Kafka, which Maven fetches once. Throws with Maven's output when it cannot be had. */
async function kafkaClasses(): Promise<string> {
  const name = `kafka-${createHash('sha256').update(readFileSync(POM)).digest('hex').slice(0, 16)}`
  const folder = join(CACHE, name)
  if (!existsSync(folder)) {
    mkdirSync(CACHE, { recursive: true })
    const draft = mkdtempSync(join(CACHE, `${name}-`))
    try {
      await run('mvn', ['-q', '-B', '-f', POM, 'dependency:copy-dependencies', `-DoutputDirectory=${draft}`], {
        timeout: CALL_MS,
      })
      renameSync(draft, folder)
    } finally {
      rmSync(draft, { recursive: true, force: true })
    }
  }
  return join(folder, '*')
}

const QUIET = `rootLogger.level=WARN
rootLogger.appenderRef.c.ref=c
appender.c.type=Console
appender.c.name=c
appender.c.layout.type=PatternLayout
appender.c.layout.pattern=%d %p %c %m%n
`

/** Starts a cluster of so many nodes, each broker and controller. `more`: settings of every node. */
export async function startKafka(nodes = 1, more: readonly string[] = []): Promise<TestKafka> {
  const classes = await kafkaClasses()
  const folder = mkdtempSync(join(tmpdir(), 'sales-agent-kafka-'))
  const ports = await Promise.all(Array.from({ length: nodes * 2 }, () => freePort()))
  const java = (args: readonly string[]) => ['-Xmx320m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-cp', classes, ...args]
  const { stdout } = await run('java', java(['kafka.tools.StorageTool', 'random-uuid']), { timeout: CALL_MS })
  const id = stdout.trim().split('\n').at(-1) ?? ''
  writeFileSync(join(folder, 'log4j2.properties'), QUIET)
  const voters = Array.from({ length: nodes }, (_, node) => `${node + 1}@127.0.0.1:${ports[nodes + node]}`).join(',')
  const copies = Math.min(3, nodes)
  const running = new Map<number, ChildProcess>()
  const settingsOf = (node: number) => join(folder, `server-${node}.properties`)
  for (let node = 0; node < nodes; node++) {
    const settings = [
      ...['process.roles=broker,controller', `node.id=${node + 1}`, `controller.quorum.voters=${voters}`],
      `listeners=PLAINTEXT://127.0.0.1:${ports[node]},CONTROLLER://127.0.0.1:${ports[nodes + node]}`,
      ...[`advertised.listeners=PLAINTEXT://127.0.0.1:${ports[node]}`, 'controller.listener.names=CONTROLLER'],
      ...[`log.dirs=${join(folder, `data-${node}`)}`, `offsets.topic.replication.factor=${copies}`],
      ...['offsets.topic.num.partitions=3', 'group.initial.rebalance.delay.ms=0', 'auto.create.topics.enable=false'],
      ...more,
    ]
    writeFileSync(settingsOf(node), settings.join('\n'))
    await run('java', java(['kafka.tools.StorageTool', 'format', '-t', id, '-c', settingsOf(node)]), { timeout: CALL_MS })
  }
  const start = async (node = 0) => {
    const output = join(folder, `output-${node}`)
    const file = openSync(output, 'a')
    const options = [`-Dlog4j2.configurationFile=${join(folder, 'log4j2.properties')}`]
    const child = spawn('java', [...options, ...java(['kafka.Kafka', settingsOf(node)])], { stdio: ['ignore', file, file] })
    closeSync(file)
    running.set(node, child)
    const until = performance.now() + START_MS
    while (!(await answers(ports[node] ?? 0))) {
      if (child.exitCode !== null || performance.now() > until)
        throw new Error(`Kafka did not start: ${readFileSync(output, 'utf8').slice(-2_000)}`)
      await sleep(100)
    }
  }
  const crash = async (node = 0) => {
    const child = running.get(node)
    running.delete(node)
    if (!child || child.exitCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
  }
  const endWithProgram = () => {
    for (const child of running.values()) child.kill('SIGKILL')
  }
  process.on('exit', endWithProgram)
  await Promise.all(Array.from({ length: nodes }, (_, node) => start(node)))
  return {
    brokers: ports.slice(0, nodes).map((port) => `127.0.0.1:${port}`),
    crash,
    start,
    pause: (node = 0) => void running.get(node)?.kill('SIGSTOP'),
    goOn: (node = 0) => void running.get(node)?.kill('SIGCONT'),
    async stop() {
      await Promise.all([...running.keys()].map(crash))
      process.off('exit', endWithProgram)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('close', () => socket.destroy())
    socket.once('connect', () => socket.destroy())
  })
}
