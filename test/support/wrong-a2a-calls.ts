const ARGS = { buying_mode: 'brief', brief: 'sports' }
const DATA = { skill: 'get_products', parameters: ARGS }
const part = (data: unknown) => [{ kind: 'data', data }]
const part1 = (data: unknown) => [{ data }]
const message = (parts: unknown, more: object = {}) => ({ message: { role: 'user', messageId: 'm1', parts, ...more } })
const message1 = (parts: unknown, more: object = {}) => ({ message: { role: 'ROLE_USER', messageId: 'm1', parts, ...more } })
const rpc = (method: unknown, params: unknown, more: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params, ...more })
const SHAPE = '{"skill": "get_products", "parameters": {…}}'
const TEMPLATE = `{"message": {"role": "user", "messageId": "m-1", "parts": [{"kind": "data", "data": ${SHAPE}}]}}`

/**
 * Wrong calls over A2A, each with the version header that it has and the words of its refusal. `<task>` stands for the id of a call that was answered. All mean the same call of
 * get_products, or the task of that id.
 */
export const WRONG_A2A_CALLS: readonly (readonly [what: string, version: string | undefined, body: object, words: string])[] = [
  [
    'a method of 1.0 without its header',
    undefined,
    rpc('GetTask', { id: '<task>' }),
    'GetTask is a method of A2A 1.0: send the header A2A-Version: 1.0 with it, or tasks/get as it is',
  ],
  [
    'a message of 1.0 without its header',
    undefined,
    rpc('SendMessage', message1(part1(DATA))),
    'SendMessage is a method of A2A 1.0: send the header A2A-Version: 1.0 with it, or message/send as it is',
  ],
  [
    'a method of 0.3 with the header of 1.0',
    '1.0',
    rpc('message/send', message(part(DATA))),
    'message/send is a method of A2A 0.3: send it without the header A2A-Version, or SendMessage as it is',
  ],
  ...['2.0', 'v1.0', '1'].map(
    (version) =>
      [
        `the header ${version}`,
        version,
        rpc('SendMessage', message1(part1(DATA))),
        'A2A 1.0 and 0.3 are served: send A2A-Version: 1.0, or no such header for 0.3',
      ] as const,
  ),
  ...['message/Send', 'messages/send', 'message.send', 'sendMessage', 'tasks/send', 'message_send'].map(
    (method) =>
      [
        `the method ${method}`,
        undefined,
        rpc(method, message(part(DATA))),
        'A2A 0.3 has no such method; did you mean message/send?',
      ] as const,
  ),
  ...['sendMessage', 'SendMesage', 'send_message'].map(
    (method) =>
      [
        `the method ${method} of 1.0`,
        '1.0',
        rpc(method, message1(part1(DATA))),
        'A2A 1.0 has no such method; did you mean SendMessage?',
      ] as const,
  ),
  ['the method tasks_get', undefined, rpc('tasks_get', { id: '<task>' }), 'A2A 0.3 has no such method; did you mean tasks/get?'],
  [
    'the method tasks/list',
    undefined,
    rpc('tasks/list', {}),
    'A2A 0.3 has no such method; did you mean ListTasks with the header A2A-Version: 1.0?',
  ],
  [
    'a method of MCP',
    undefined,
    rpc('tools/call', { name: 'get_products', arguments: ARGS }),
    `tasks are called by the method message/send here, with params ${TEMPLATE}`,
  ],
  [
    'a task as method',
    undefined,
    rpc('get_products', ARGS),
    `tasks are called by the method message/send here, with params ${TEMPLATE}`,
  ],
  ...['getProducts', 'get-products', 'get_product'].map(
    (skill) =>
      [
        `the skill ${skill}`,
        undefined,
        rpc('message/send', message(part({ skill, parameters: ARGS }))),
        'there is no such task here; did you mean get_products?',
      ] as const,
  ),
  ...(
    [
      ['task', 'parameters'],
      ['name', 'arguments'],
      ['tool', 'args'],
      ['skill_id', 'parameters'],
      ['operation', 'payload'],
    ] as const
  ).map(
    ([name, args]) =>
      [
        `the skill as ${name}, its arguments as ${args}`,
        undefined,
        rpc('message/send', message(part({ [name]: 'get_products', [args]: ARGS }))),
        `data.skill must name the task, not data.${name}, and data.parameters must hold its arguments: ${SHAPE}`,
      ] as const,
  ),
  ...['params', 'arguments'].map(
    (name) =>
      [
        `arguments as ${name}`,
        undefined,
        rpc('message/send', message(part({ skill: 'get_products', [name]: ARGS }))),
        `data.parameters must hold the arguments of the task, not data.${name}: ${SHAPE}`,
      ] as const,
  ),
  [
    'arguments beside the skill',
    undefined,
    rpc('message/send', message(part({ skill: 'get_products', ...ARGS }))),
    `data.parameters must hold the arguments of the task, not data.buying_mode: ${SHAPE}`,
  ],
  [
    'arguments alone',
    undefined,
    rpc('message/send', message(part(ARGS))),
    `data.skill must name the task, and data.parameters must hold its arguments: ${SHAPE}`,
  ],
  [
    'a skill in another case',
    undefined,
    rpc('message/send', message(part({ Skill: 'get_products', parameters: ARGS }))),
    'data.Skill must be written skill',
  ],
  [
    'the call as text',
    undefined,
    rpc('message/send', message([{ kind: 'text', text: JSON.stringify(DATA) }])),
    `text calls nothing: message.parts must hold one data part with what it asks for, {"kind": "data", "data": ${SHAPE}}`,
  ],
  [
    'the call as text of 1.0',
    '1.0',
    rpc('SendMessage', message1([{ text: JSON.stringify(DATA) }])),
    `text calls nothing: message.parts must hold one data part with what it asks for, {"kind": "data", "data": ${SHAPE}}`,
  ],
  ['no message', undefined, rpc('message/send', { parts: part(DATA) }), `params.message must be an object: ${TEMPLATE}`],
  [
    'a message of text',
    undefined,
    rpc('message/send', { message: 'get_products' }),
    `params.message must be an object: ${TEMPLATE}`,
  ],
  [
    'the message beside params',
    undefined,
    { jsonrpc: '2.0', id: 1, method: 'message/send', ...message(part(DATA)) },
    `params must be an object that holds message: ${TEMPLATE}`,
  ],
  ['params as a list', undefined, rpc('message/send', [message(part(DATA))]), `params must be an object: ${TEMPLATE}`],
  [
    'no messageId',
    undefined,
    rpc('message/send', { message: { role: 'user', parts: part(DATA) } }),
    'message.messageId must be an id that you choose, such as a UUID',
  ],
  [
    'message_id',
    undefined,
    rpc('message/send', { message: { role: 'user', message_id: 'x', parts: part(DATA) } }),
    'message.messageId must be an id that you choose, such as a UUID, not message.message_id',
  ],
  [
    'no parts',
    undefined,
    rpc('message/send', { message: { role: 'user', messageId: 'x' } }),
    `message.parts must be a list: ${TEMPLATE}`,
  ],
  ['one part, in no list', undefined, rpc('message/send', message(part(DATA)[0])), `message.parts must be a list: ${TEMPLATE}`],
  [
    'parts as content',
    undefined,
    rpc('message/send', { message: { role: 'user', messageId: 'x', content: part(DATA) } }),
    `message.parts must be a list, not message.content: ${TEMPLATE}`,
  ],
  [
    'a part with type',
    undefined,
    rpc('message/send', message([{ type: 'data', data: DATA }])),
    `message.parts[0].kind must be "data", not type: {"kind": "data", "data": ${SHAPE}}`,
  ],
  [
    'a part under root',
    undefined,
    rpc('message/send', message([{ root: part(DATA)[0] }])),
    `message.parts[0].kind must be "data", without root around it: {"kind": "data", "data": ${SHAPE}}`,
  ],
  [
    'a part of 1.0 under 0.3',
    undefined,
    rpc('message/send', message(part1(DATA))),
    `message.parts[0].kind must be "data": {"kind": "data", "data": ${SHAPE}}`,
  ],
  [
    'data of the kind text',
    undefined,
    rpc('message/send', message([{ kind: 'text', data: DATA }])),
    'a part with data must have the kind "data"',
  ],
  [
    'the role of 1.0 under 0.3',
    undefined,
    rpc('message/send', message1(part(DATA))),
    'message.role must be "user" (ROLE_USER is of A2A 1.0)',
  ],
  [
    'no role',
    undefined,
    rpc('message/send', { message: { messageId: 'x', parts: part(DATA) } }),
    'message.role must be "user" (ROLE_USER is of A2A 1.0)',
  ],
  [
    'two calls',
    undefined,
    rpc('message/send', message([...part(DATA), ...part(DATA)])),
    `message.parts must hold exactly one data part ${SHAPE}; several calls are several messages`,
  ],
  [
    'data as text',
    undefined,
    rpc('message/send', message(part(JSON.stringify(DATA)))),
    `data must be an object, not a text of it: ${SHAPE}`,
  ],
  [
    'parameters as text',
    undefined,
    rpc('message/send', message(part({ skill: 'get_products', parameters: JSON.stringify(ARGS) }))),
    `data.parameters must be an object, not a text of it: ${SHAPE}`,
  ],
  ...['taskId', 'task_id', 'name'].map(
    (name) =>
      [
        `the id of a task as ${name}`,
        undefined,
        rpc('tasks/get', { [name]: '<task>' }),
        `params.id must be the id of the task, not params.${name}: {"id": "…"}`,
      ] as const,
  ),
  [
    'the id of a task as taskId in 1.0',
    '1.0',
    rpc('GetTask', { taskId: '<task>' }),
    'params.id must be the id of the task, not params.taskId: {"id": "…"}',
  ],
  [
    'a message to a task that is over',
    undefined,
    rpc('message/send', message(part(DATA), { taskId: '<task>' })),
    'The task is over: send the message without its taskId',
  ],
  [
    'a webhook in params',
    undefined,
    rpc('message/send', { ...message(part(DATA)), pushNotificationConfig: { url: 'https://b.example/hook' } }),
    'params.configuration must hold pushNotificationConfig, not params',
  ],
  ['no jsonrpc', undefined, { id: 1, method: 'message/send', params: message(part(DATA)) }, 'jsonrpc must be "2.0"'],
  [
    'an id that is an object',
    undefined,
    rpc('message/send', message(part(DATA)), { id: {} }),
    'id must be a string or an integer',
  ],
  [
    'a file beside the data',
    undefined,
    rpc('message/send', message([{ kind: 'file', file: { uri: 'https://x.example/a.png' } }, ...part(DATA)])),
    'every entry of message.parts must hold either data or text; send files by their addresses, as members of data.parameters',
  ],
]
