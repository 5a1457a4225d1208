import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a planted fault changes: the arguments that a tool is called with, the headers, or its answer. */
export interface PlantedFault {
  readonly arguments?: (tool: string, given: Members) => Members
  readonly authorization?: (tool: string) => string | undefined
  readonly answer?: (tool: string, answer: Members, given: Members) => Members
}

type Members = Record<string, unknown>

/** A seller in front of another one over MCP, with one fault of its own. */
export async function startFaultySeller(target: string, fault: PlantedFault) {
  const server = createServer(async (request, response) => {
    const message = JSON.parse((await bodyOf(request)) || '{}')
    const { name = '', arguments: given = {} } = message.params ?? {}
    const isCall = message.method === 'tools/call'
    if (isCall && fault.arguments) message.params.arguments = fault.arguments(name, given)
    const authorization = (isCall ? fault.authorization?.(name) : undefined) ?? request.headers.authorization
    const answer = await fetch(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) },
      body: JSON.stringify(message),
    })
    const text = await answer.text()
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'application/json' })
    response.end(isCall && answer.ok && fault.answer ? changed(text, (members) => fault.answer?.(name, members, given)) : text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    stop: () => new Promise((resolve) => server.close(resolve)),
  }
}

function changed(text: string, change: (members: Members) => Members | undefined): string {
  const reply = JSON.parse(text)
  if (typeof reply.result?.structuredContent !== 'object') return text
  const structuredContent = change(reply.result.structuredContent)
  return JSON.stringify({ ...reply, result: { ...reply.result, structuredContent } })
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
