// @module-tag haproxy
import { testProxy } from './test-proxy.ts';

testProxy('haproxy');
