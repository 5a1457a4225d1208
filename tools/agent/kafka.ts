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

/** Who may use a cluster whose connections are encrypted. */
export interface KafkaLogin {
  readonly user: string
  readonly password: string
  /** PEM: a PKCS#8 key and the certificate of `localhost`. */
  readonly key: string
  readonly cert: string
}

/**
 * Starts a cluster of so many nodes, each broker and controller. With `login` its `brokers` are at `localhost`, encrypted (TLS), and take PLAIN, SCRAM-SHA-256 and SCRAM-SHA-512; brokers
 * talk to each other without.
 */
export async function startKafka(nodes = 1, login?: KafkaLogin): Promise<TestKafka> {
  const classes = await kafkaClasses()
  const folder = mkdtempSync(join(tmpdir(), 'sales-agent-kafka-'))
  const ports = await Promise.all(Array.from({ length: nodes * 3 }, () => freePort()))
  const java = (args: readonly string[]) => ['-Xmx320m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-cp', classes, ...args]
  const { stdout } = await run('java', java(['kafka.tools.StorageTool', 'random-uuid']), { timeout: CALL_MS })
  const id = stdout.trim().split('\n').at(-1) ?? ''
  writeFileSync(join(folder, 'log4j2.properties'), QUIET)
  const voters = Array.from({ length: nodes }, (_, node) => `${node + 1}@127.0.0.1:${ports[nodes + node]}`).join(',')
  const copies = Math.min(3, nodes)
  const running = new Map<number, ChildProcess>()
  const openAt = (node: number) => `PLAINTEXT://127.0.0.1:${ports[node]}`
  const loginAt = (node: number) => (login ? `,SASL_SSL://localhost:${ports[nodes * 2 + node]}` : '')
  const settingsOf = (node: number) => join(folder, `server-${node}.properties`)
  for (let node = 0; node < nodes; node++) {
    const settings = [
      ...['process.roles=broker,controller', `node.id=${node + 1}`, `controller.quorum.voters=${voters}`],
      `listeners=${openAt(node)}${loginAt(node)},CONTROLLER://127.0.0.1:${ports[nodes + node]}`,
      ...[`advertised.listeners=${openAt(node)}${loginAt(node)}`, 'controller.listener.names=CONTROLLER'],
      ...[`log.dirs=${join(folder, `data-${node}`)}`, `offsets.topic.replication.factor=${copies}`],
      ...['offsets.topic.num.partitions=3', 'group.initial.rebalance.delay.ms=0', 'auto.create.topics.enable=false'],
      ...(login ? secured(login, folder) : []),
    ]
    writeFileSync(settingsOf(node), settings.join('\n'))
    const users = MECHANISMS.flatMap((name) => ['--add-scram', `${name}=[name=${login?.user},password=${login?.password}]`])
    const format = ['kafka.tools.StorageTool', 'format', '-t', id, '-c', settingsOf(node), ...(login ? users : [])]
    await run('java', java(format), { timeout: CALL_MS })
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
    brokers: login
      ? ports.slice(nodes * 2).map((port) => `localhost:${port}`)
      : ports.slice(0, nodes).map((port) => `127.0.0.1:${port}`),
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

const MECHANISMS = ['SCRAM-SHA-256', 'SCRAM-SHA-512']

/** Settings of a node whose second listener is encrypted and asks for a password. */
function secured({ user, password, key, cert }: KafkaLogin, folder: string): readonly string[] {
  const store = join(folder, 'broker.pem')
  writeFileSync(store, `${key}\n${cert}\n`)
  const modules = 'org.apache.kafka.common.security'
  const scram = `${modules}.scram.ScramLoginModule required;`
  return [
    ...['ssl.keystore.type=PEM', `ssl.keystore.location=${store}`, 'inter.broker.listener.name=PLAINTEXT'],
    'listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL_SSL:SASL_SSL',
    `sasl.enabled.mechanisms=PLAIN,${MECHANISMS.join(',')}`,
    `listener.name.sasl_ssl.plain.sasl.jaas.config=${modules}.plain.PlainLoginModule required user_${user}="${password}";`,
    ...MECHANISMS.map((name) => `listener.name.sasl_ssl.${name.toLowerCase()}.sasl.jaas.config=${scram}`),
  ]
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
