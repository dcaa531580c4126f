# The freestanding encoder: libsotto-client.a for devices, sotto-client.wasm for
# browsers.  Same sources as in libsotto, no C library behind them.

CLIENT_SRC := $(sort $(shell find src/local/client -name '*.c' ! -path '*/freestanding/*')) \
	src/local/client/freestanding/memory.c
CLIENT_A := $(B)/libsotto-client.a
CLIENT_WASM := $(B)/sotto-client.wasm
CLIENT_FLAGS := -std=c11 -Os -ffreestanding -fno-builtin -ffunction-sections -fdata-sections \
	-fvisibility=hidden $(WARN) -Iinclude -Isrc
CLIENT_EXPORTS := $(addprefix sotto_wasm_,buffers state_make state_open init ledger encode \
	encode_number batch)
CLIENT_OBJ := $(CLIENT_SRC:%.c=$(B)/device/%.o)
CLIENT_WASM_OBJ := $(CLIENT_SRC:%.c=$(B)/wasm/%.o) $(B)/wasm/src/local/client/freestanding/wasm.o

lib: $(CLIENT_A)
all: $(CLIENT_WASM)

$(B)/device/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$< (device))
	$(Q)$(CC) $(CLIENT_FLAGS) -fno-stack-protector -fPIE -MMD -MP -c $< -o $@

$(B)/wasm/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$< (wasm))
	$(Q)clang --target=wasm32 -mbulk-memory $(CLIENT_FLAGS) -Oz -flto -nostdlib -MMD -MP -c $< -o $@

$(CLIENT_A): $(CLIENT_OBJ)
	@rm -f $@
	$(call say,AR,$@)
	$(Q)ar rcs $@ $^

$(CLIENT_WASM): $(CLIENT_WASM_OBJ)
	$(call say,LINK,$@)
	$(Q)wasm-ld --no-entry --gc-sections --strip-all -z stack-size=8192 \
		$(CLIENT_EXPORTS:%=--export=%) -o $@.linked $^
	$(Q)wasm-opt -Oz --converge --enable-bulk-memory $@.linked -o $@

# The package for browsers and Node, with the module inside.
CLIENT_JS := $(B)/js/sotto-client.js
all: $(CLIENT_JS)

$(CLIENT_JS): $(wildcard js/*.* js/src/*) $(CLIENT_WASM) tools/build-js
	$(call say,JS,$@)
	$(Q)tools/build-js $(abspath $(CLIENT_WASM)) $(@D)
