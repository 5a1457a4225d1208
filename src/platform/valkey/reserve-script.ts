/**
 * Runs in the server, in one step (Lua 5.1; Valkey 7.2 and later, Redis 7 and later). The key is a hash of one visitor: `r` the run of the server that it was written in, `s` since when
 * exposures in it are complete, and one member for each line: `decision,time,confirmed;` for each exposure.
 *
 * ARGV[1] is JSON: n now, s since, p pendingMs, y youngMs, t seconds that the key is kept, w how often the page shows lines, q slots of [decision, candidates of [line, most, limits of
 * [most, window]]], k (absent: not read) what the store has: {line: [[decision, time, confirmed]]}. A window of -1 is since ever.
 *
 * What is in doubt counts: a decision without a known impression counts in every window, until the store was asked.
 */
export const RESERVE = `
local info = redis.call('INFO', 'server')
local run = string.match(info, 'run_id:(%x+)')
local q = cjson.decode(ARGV[1])
if tonumber(string.match(info, 'uptime_in_seconds:(%d+)')) * 1000 < q.y then return 'young' end
local key = KEYS[1]

local function read(text)
  local list = {}
  if not text then return list end
  for id, at, sure in string.gmatch(text, '([^,;]+),(%d+),([01]);') do
    list[#list + 1] = {id, tonumber(at), sure == '1'}
  end
  return list
end
local function text(list)
  local parts = {}
  for _, e in ipairs(list) do
    if not e[3] or e[2] > q.s then parts[#parts + 1] = e[1] .. ',' .. string.format('%.0f', e[2]) .. ',' .. (e[3] and '1' or '0') .. ';' end
  end
  return table.concat(parts)
end

local lines = {}
if q.k then
  for line, list in pairs(q.k) do
    local own = {}
    for _, e in ipairs(list) do own[#own + 1] = {e[1], e[2], e[3] == 1} end
    lines[line] = own
  end
  local old = redis.call('HGETALL', key)
  for i = 1, #old, 2 do
    if string.sub(old[i], 1, 2) == 'l:' then
      local line = string.sub(old[i], 3)
      local own = lines[line] or {}
      local ids = {}
      for _, e in ipairs(own) do ids[e[1]] = true end
      for _, e in ipairs(read(old[i + 1])) do
        if not e[3] and not ids[e[1]] and e[2] >= q.n - q.p then own[#own + 1] = e end
      end
      lines[line] = own
    end
  end
else
  local names, asked = {'r', 's'}, {}
  for _, slot in ipairs(q.q) do
    for _, c in ipairs(slot[2]) do
      if #c[3] > 0 and not asked[c[1]] then
        asked[c[1]] = true
        names[#names + 1] = 'l:' .. c[1]
      end
    end
  end
  local got = redis.call('HMGET', key, unpack(names))
  if got[1] ~= run or not got[2] or tonumber(got[2]) > q.s then return 'unknown' end
  for i = 3, #names do lines[string.sub(names[i], 3)] = read(got[i]) end
end

local unsettled = false
local function allows(c)
  local could = true
  local is = true
  for _, limit in ipairs(c[3]) do
    local window = limit[2]
    local count, least = 0, 0
    for _, e in ipairs(lines[c[1]] or {}) do
      local age = q.n - e[2]
      if e[3] then
        if window < 0 or age < window then count = count + 1; least = least + 1 end
      else
        count = count + 1
        if age <= q.p and (window < 0 or age < window) then least = least + 1 end
      end
    end
    if count >= limit[1] then is = false end
    if least >= limit[1] then could = false end
  end
  if not is and could then unsettled = true end
  return is
end

local shown, picks, changed = q.w, {}, {}
for i, slot in ipairs(q.q) do
  local pick = -1
  for j, c in ipairs(slot[2]) do
    local line = c[1]
    if (shown[line] or 0) < c[2] and (#c[3] == 0 or allows(c)) then
      pick = j - 1
      shown[line] = (shown[line] or 0) + 1
      if #c[3] > 0 then
        local own = lines[line] or {}
        own[#own + 1] = {slot[1], q.n, false}
        lines[line] = own
        changed[line] = true
      end
      break
    end
  end
  picks[i] = pick
end
if unsettled and not q.k then return 'unsettled' end

local set = {}
if q.k then
  redis.call('DEL', key)
  set = {'r', run, 's', string.format('%.0f', q.s)}
  changed = lines
end
for line in pairs(changed) do
  set[#set + 1] = 'l:' .. line
  set[#set + 1] = text(lines[line])
end
if #set > 0 then
  for i = 1, #set, 1000 do redis.call('HSET', key, unpack(set, i, math.min(i + 999, #set))) end
  redis.call('EXPIRE', key, q.t)
end
return picks
`

/** ARGV: line and decision in turn, of what was reserved and is not shown. */
export const RELEASE = `
for i = 1, #ARGV, 2 do
  local name = 'l:' .. ARGV[i]
  local old = redis.call('HGET', KEYS[1], name)
  if old then
    local parts = {}
    for id, rest in string.gmatch(old, '([^,;]+),([^;]+);') do
      if id ~= ARGV[i + 1] then parts[#parts + 1] = id .. ',' .. rest .. ';' end
    end
    redis.call('HSET', KEYS[1], name, table.concat(parts))
  end
end
return 0
`
